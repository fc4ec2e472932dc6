import type { CommandRuleSettings } from '../guard/command/command-rules.ts';

/** What the builtin tools read of `tools` in the config. */
export interface BuiltinSettings {
  /** What is let through of an output. A part of a file is shorter than that. */
  readonly max_result_chars: number;
  /** Larger files are passed over in a search. */
  readonly read_file: { readonly max_bytes: number };
  /** `max_bytes`: of the largest document. `timeout_secs`: how long reading one may take. */
  readonly read_document: { readonly max_bytes: number; readonly timeout_secs: number; readonly page_chars: number };
  readonly find_files: { readonly max_results: number };
  readonly search_files: { readonly max_results: number; readonly timeout_secs: number };
  /** What never runs, and what runs unasked where a sandbox confines it. */
  readonly shell: CommandRuleSettings & {
    /** How long a command may take: what it gets if it asks for nothing, and the most that it can ask for. */
    readonly timeout_secs: number;
    readonly max_output_bytes: number;
    /** Names of environment variables that commands may see besides the harmless ones. */
    readonly env: readonly string[];
    readonly allowed_domains: readonly string[];
  };
  readonly network: {
    /** Hosts whose content is trusted, as `fitsDomains` reads them. */
    readonly trusted_domains: readonly string[];
    /** Hosts of the own network that may be reached, as `parsePrivateHost` reads them. */
    readonly allow_private: readonly string[];
  };
  /** `max_bytes`: how much of an answer is read, after decompression. `page_chars`: how much of it is shown at a time. */
  readonly web_fetch: { readonly timeout_secs: number; readonly max_bytes: number; readonly page_chars: number };
  readonly web_search: {
    readonly engine: 'duckduckgo' | 'brave' | 'searxng' | 'tavily';
    readonly api_key: string;
    /** Where it is, if not at its maker's. */
    readonly base_url?: string;
    readonly timeout_secs: number;
  };
  readonly http_request: {
    /** Hosts, `*.example.com`, or `*`. */
    readonly allowed_domains: readonly string[];
    readonly timeout_secs: number;
    /** Of a longer answer the rest is not read. */
    readonly max_response_bytes: number;
  };
  readonly ask: { readonly timeout_secs: number };
  /** Whether a run that a person has begun is told that it can end itself by a call. */
  readonly attempt_completion: { readonly in_chats: boolean };
}
