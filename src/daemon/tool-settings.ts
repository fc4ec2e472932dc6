import type { Config } from '../config/schema.ts';
import type { BuiltinSettings } from '../tools/builtin/index.ts';

/** What the builtin tools are given of the config. */
export function builtinSettingsOf({ tools }: Config): BuiltinSettings {
  const { find_files, read_document, read_file, web_fetch } = tools;
  return {
    ask: { timeout: tools.ask.timeout_secs * 1000 },
    readFile: { maxChars: tools.max_result_chars },
    findFiles: { maxResults: find_files.max_results },
    searchFiles: {
      maxResults: tools.search_files.max_results,
      timeout: tools.search_files.timeout_secs * 1000,
      maxFileBytes: read_file.max_bytes,
    },
    readDocument: {
      timeout: read_document.timeout_secs * 1000,
      pageChars: read_document.page_chars,
      maxBytes: read_document.max_bytes,
    },
    shell: shellSettingsOf(tools.shell),
    allowPrivate: tools.network.allow_private,
    webFetch: {
      timeout: web_fetch.timeout_secs * 1000,
      maxBytes: web_fetch.max_bytes,
      pageChars: web_fetch.page_chars,
      trustedDomains: tools.network.trusted_domains,
      documentTimeout: read_document.timeout_secs * 1000,
    },
    webSearch: webSearchSettingsOf(tools.web_search),
    httpRequest: {
      allowedDomains: tools.http_request.allowed_domains,
      timeout: tools.http_request.timeout_secs * 1000,
      maxResponseBytes: tools.http_request.max_response_bytes,
    },
    completesInChats: tools.attempt_completion.in_chats,
  };
}

function shellSettingsOf(shell: Config['tools']['shell']): BuiltinSettings['shell'] {
  const { timeout_secs, max_output_bytes, env, deny, allow } = shell;
  return {
    timeoutSecs: timeout_secs,
    maxOutputBytes: max_output_bytes,
    envPassthrough: env,
    rules: { deny, allow },
  };
}

function webSearchSettingsOf(search: Config['tools']['web_search']): BuiltinSettings['webSearch'] {
  const { engine, api_key, base_url, timeout_secs } = search;
  const where = base_url === undefined ? {} : { baseUrl: base_url };
  return { engine, apiKey: api_key, ...where, timeout: timeout_secs * 1000 };
}
