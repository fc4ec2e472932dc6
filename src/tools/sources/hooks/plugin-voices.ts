import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import { HookFailure, type HookVoice } from './hook-voice.ts';

/** Asks a plugin, as `HookVoice` does. */
export type AskPlugin = (plugin: string, event: JsonObject, signal: AbortSignal) => Promise<JsonValue | undefined>;

/** Where hooks find plugins, which are there only later. */
export class PluginVoices {
  #ask: AskPlugin | undefined;

  /** From now on, plugins are asked so. */
  answerWith(ask: AskPlugin): void {
    this.#ask = ask;
  }

  /** Asks the plugin of that name. */
  of(plugin: string): HookVoice {
    return async (event, signal) => {
      if (this.#ask === undefined) throw new HookFailure('there are no plugins: see plugins.enabled in the config');
      return this.#ask(plugin, event, signal);
    };
  }
}
