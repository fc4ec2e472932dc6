import type { CommandRuleSettings } from '../guard/command/command-rules.ts';
import type { builtinWords } from './words.ts';

/** The tools of this folder. Each has a switch in the config, `tools.NAME.enabled`: without one, nothing compiles. */
type BuiltinName = keyof (typeof builtinWords)['en']['names'];

/** The switches of all tools here. Who makes the tools leaves out those that are off. */
export type BuiltinSwitches = Readonly<Record<BuiltinName, { readonly enabled: boolean }>>;

/** The builtin tools' settings, from `tools` in the config. */
export interface BuiltinSettings {
  /** The limit of an output. Parts of files are shorter. */
  readonly max_result_chars: number;
  readonly read_file: { readonly max_bytes: number };
  readonly read_document: { readonly max_bytes: number; readonly timeout_secs: number; readonly page_chars: number };
  readonly find_files: { readonly max_results: number };
  readonly search_files: { readonly max_results: number; readonly timeout_secs: number };
  readonly shell: CommandRuleSettings & {
    /** The default and the maximum of a command's timeout. */
    readonly timeout_secs: number;
    readonly max_output_bytes: number;
    readonly env: readonly string[];
    readonly allowed_domains: readonly string[];
    /** Names that the sandbox protects: see `createProtectedNames`. */
    readonly protected: readonly string[];
  };
  readonly network: {
    /** Hosts with trusted content, in the syntax of `fitsDomains`. */
    readonly trusted_domains: readonly string[];
    /** Hosts of the own network that may be reached, in the syntax of `parsePrivateHost`. */
    readonly allow_private: readonly string[];
  };
  readonly web_fetch: { readonly timeout_secs: number; readonly max_bytes: number; readonly page_chars: number };
  readonly web_search: {
    readonly engine: 'duckduckgo' | 'brave' | 'searxng' | 'tavily';
    readonly api_key: string;
    readonly base_url?: string;
    readonly timeout_secs: number;
  };
  readonly http_request: {
    readonly allowed_domains: readonly string[];
    readonly timeout_secs: number;
    readonly max_response_bytes: number;
  };
  readonly ask: { readonly timeout_secs: number };
  readonly attempt_completion: { readonly in_chats: boolean };
}
