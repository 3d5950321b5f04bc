//! Which case of which agent program is proved by which test with the real program: printed, and held to the tests
//! that there are.
//!
//! "–" is where a program leaves nothing to prove: what is said of it stands beside the table.

use std::fs;

use crate::support::sources::root;

/// The programs, in the order of the columns.
const PROGRAMS: [&str; 9] =
    ["claude", "codex", "gemini", "copilot", "opencode", "qwen", "claude-acp", "codex-acp", "gemini-acp"];

/// A case, and the law of each program in the same order: `file::law`.
type Row = (&'static str, [&'static str; 9]);

/// The bridges have every law in one file, as tests of the same name.
const fn row(case: &'static str, of: [&'static str; 6], bridges: &'static str) -> Row {
    let [claude, codex, gemini, copilot, opencode, qwen] = of;
    (case, [claude, codex, gemini, copilot, opencode, qwen, bridges, bridges, bridges])
}

/// All that was never proved for a program.
const NONE: &str = "";

const TABLE: &[Row] = &[
    row(
        "four tools, edit, shell, question, resume, summary, usage, branch",
        [
            "claude_main_job::claude_asks_is_answered_and_delivers_in_one_conversation",
            "codex_main_job::codex_asks_is_answered_and_delivers_in_one_conversation",
            "gemini_main_job::gemini_asks_is_answered_and_delivers_in_one_conversation",
            "described_main_job::copilot_asks_is_answered_and_delivers_in_one_conversation",
            "described_main_job::opencode_asks_is_answered_and_delivers_in_one_conversation",
            "described_main_job::qwen_asks_is_answered_and_delivers_in_one_conversation",
        ],
        "acp_main_job::it_asks_is_answered_and_delivers_in_one_conversation",
    ),
    row(
        "400",
        [
            "claude_refused::a_request_that_is_refused_fails_with_the_providers_words",
            "codex_refused::a_request_that_is_refused_fails_with_the_providers_words",
            "gemini_refused::a_request_that_is_refused_fails_with_the_providers_words",
            "described_main_job::copilot_tells_what_the_provider_refused",
            "described_main_job::opencode_tells_what_the_provider_refused",
            "described_main_job::qwen_tells_what_the_provider_refused",
        ],
        "acp_refused::a_request_that_is_refused_with_400_fails_with_the_providers_words",
    ),
    row(
        "401",
        [
            "claude_refused::a_refused_login_ends_the_run_long_before_claude_gives_up",
            "codex_refused::a_refused_login_ends_the_run_before_codex_gives_up",
            "gemini_refused::a_login_that_is_refused_is_told_as_that_whatever_status_it_is_told_with",
            "described_main_job::copilot_tells_what_the_provider_refused",
            "described_main_job::opencode_tells_what_the_provider_refused",
            "described_main_job::qwen_tells_what_the_provider_refused",
        ],
        "acp_refused::a_login_that_is_refused_with_401_is_told_as_that",
    ),
    row(
        "429",
        [
            "claude_refused::a_limit_with_a_far_end_is_a_rate_limit_at_once",
            "codex_refused::a_limit_with_a_time_names_it_whatever_the_time_zone_of_the_run",
            "gemini_refused::a_limit_of_a_day_names_the_time_of_its_reset_and_is_not_asked_about_again",
            NONE,
            NONE,
            NONE,
        ],
        "acp_refused::a_limit_is_a_rate_limit_until_its_reset_where_that_is_told",
    ),
    row(
        "500",
        [
            "claude_provider::a_provider_that_fails_ends_the_attempt_and_the_next_one_goes_on",
            "codex_provider::a_provider_that_fails_ends_the_attempt_and_the_next_one_goes_on",
            "gemini_refused::a_provider_that_goes_on_failing_is_its_own_failure",
            NONE,
            NONE,
            NONE,
        ],
        "acp_refused::a_provider_that_goes_on_failing_with_500_is_its_own_failure",
    ),
    row(
        "denied tool",
        [
            "claude_ends::a_denied_tool_without_a_change_fails_the_run_with_the_line_that_would_allow_it",
            "codex_ends::a_denied_tool_without_a_change_fails_the_run_with_the_line_that_would_allow_it",
            "gemini_ends::a_denied_tool_without_a_change_fails_the_run_with_the_line_that_would_allow_it",
            NONE,
            NONE,
            NONE,
        ],
        "acp_ends::a_denied_tool_without_a_change_fails_the_run_with_the_line_that_would_allow_it",
    ),
    row(
        "hostile tree",
        [
            "claude_main_job::a_hostile_tree_runs_nothing_and_sends_nothing",
            "codex_main_job::a_hostile_tree_runs_nothing_and_sends_nothing",
            "gemini_main_job::a_hostile_tree_runs_nothing_and_sends_nothing",
            "described_main_job::copilot_heeds_nothing_of_a_hostile_tree",
            "described_main_job::opencode_heeds_nothing_of_a_hostile_tree",
            "described_main_job::qwen_heeds_nothing_of_a_hostile_tree",
        ],
        "acp_main_job::a_hostile_tree_runs_nothing_and_sends_nothing",
    ),
    row(
        "prompt like a flag, a subcommand, a slash command",
        [
            "claude_adapter::commands_and_references_in_foreign_words_arrive_as_text",
            "codex_main_job::instructions_that_read_like_a_subcommand_or_a_command_arrive_as_text",
            "gemini_main_job::a_prompt_that_looks_like_a_flag_a_command_or_a_file_arrives_as_text",
            "described_main_job::copilot_takes_every_prompt_as_text",
            "described_main_job::opencode_takes_every_prompt_as_text",
            "described_main_job::qwen_takes_every_prompt_as_text",
        ],
        "acp_main_job::a_prompt_that_looks_like_a_flag_a_command_or_a_file_arrives_as_text",
    ),
    row(
        "killed shim",
        [
            "claude_goes_on::a_shim_that_is_killed_is_started_again_and_nothing_is_lost",
            "codex_ends::a_shim_that_is_killed_fails_the_run_that_calls_it_next",
            "gemini_ends::a_shim_that_is_killed_fails_the_run_once_the_agent_cannot_reach_it",
            NONE,
            NONE,
            NONE,
        ],
        "acp_ends::a_shim_that_is_killed_is_no_good_end_or_is_started_again",
    ),
    row(
        "kill during a shell command",
        [
            "claude_goes_on::a_kill_in_the_middle_of_a_command_leaves_nothing_and_the_conversation_goes_on",
            "codex_ends::a_kill_in_the_middle_of_a_command_leaves_nothing_and_the_conversation_goes_on",
            "gemini_ends::an_agent_that_is_killed_in_the_middle_of_a_command_has_failed_and_leaves_no_process",
            NONE,
            NONE,
            NONE,
        ],
        "acp_ends::a_program_that_is_killed_in_the_middle_of_a_command_has_failed_and_leaves_no_process",
    ),
];

#[test]
fn each_case_of_each_program_is_proved_by_the_test_that_the_table_names() {
    let width = TABLE.iter().map(|(case, _)| case.len()).max().unwrap();
    println!("{:width$}  {}", "", PROGRAMS.join("  "));
    for (case, laws) in TABLE {
        let marks: Vec<String> = PROGRAMS.iter().zip(laws).map(|(program, law)| mark(program, law)).collect();
        println!("{case:width$}  {}", marks.join("  "));
        for law in laws.iter().filter(|law| **law != NONE) {
            let (file, name) = law.split_once("::").unwrap();
            let text = fs::read_to_string(root().join("tests").join(file).with_extension("rs"));
            let text = text.unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(text.contains(&format!("fn {name}(")), "{case}: there is no test `{law}`");
        }
    }
}

fn mark(program: &str, law: &str) -> String {
    format!("{:width$}", if law == NONE { "–" } else { "proved" }, width = program.len())
}
