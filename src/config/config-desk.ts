/*
 * The config's file as a part of the daemon may work with it, for an owner: read, check, change, go back. Who has the
 * desk never has a secret: of a text, it sees marks in their place, which saving puts back.
 */

import type { JsonValue } from '../lib/json.ts';
import type { Language } from '../lib/words.ts';
import type { KeyPath } from './config-error.ts';
import type { Fate } from './played-tools.ts';

/** Each method says its sentences in the language that it is given. */
export interface ConfigDesk {
  /** Absolute. */
  readonly file: string;
  /** The file as it is now. Rejects with the system's error if it cannot be read. */
  text(language: Language): Promise<DeskText>;
  /** What `config check` would say if this were the file. Marks stand for the secrets of `text`. */
  check(text: string, language: Language): Promise<DeskCheck>;
  /** The text with these keys set: comments and layout stay. Writes nothing. */
  edited(edits: readonly DeskEdit[], language: Language): Promise<EditedText>;
  /** Writes the text, if the file is still the one with this stamp, and tells how the running Keyturn took it over. */
  save(wish: DeskWish): Promise<DeskSaved>;
  /** The newest first. */
  versions(language: Language): Promise<readonly DeskVersion[]>;
  /** The text that going back to a version would write. Undefined: there is no such version. */
  version(number: number, language: Language): Promise<VersionText | undefined>;
  /** Writes a version, as `config rollback` does. Undefined: there is no such version. */
  restore(number: number, wish: Omit<DeskWish, 'text'>): Promise<DeskSaved | undefined>;
  /** Sets a variable in the `.env` beside the config, and nothing else. */
  keepSecret(secret: KeptSecret, language: Language): Promise<SecretKept>;
  /** The set-up, by steps. */
  readonly setup: DeskSetup;
  /** The JSON Schema of the config. */
  schema(): Promise<JsonValue>;
  /** Gives a command of this program, in a process of its own, one at a time. Its words go to no shell. */
  run(words: readonly string[], language: Language, signal: AbortSignal): Promise<CommandOutput>;
}

/** A text of the config, with marks in the place of secrets. */
export interface DeskText {
  /** Differs after each change of the file. */
  readonly stamp: string;
  /** Undefined: it is no JSON, or no UTF-8, so nobody can say what in it is secret. */
  readonly text: string | undefined;
  /** Whether there is a file. */
  readonly isThere: boolean;
  /** Why it cannot be used. */
  readonly faults: readonly DeskFault[];
}

export interface DeskFault {
  /** From 1, in UTF-16 units. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly key: string;
  readonly text: string;
}

export interface DeskCheck {
  readonly faults: readonly DeskFault[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  /** From the file as it is. */
  readonly differences: readonly DeskDifference[];
  /** What becomes of calls. Empty while there are faults. */
  readonly calls: readonly DeskCall[];
}

/** Secrets are `[secret]`. */
export interface DeskDifference {
  readonly key: string;
  readonly old: JsonValue | undefined;
  readonly now: JsonValue | undefined;
  /** Whether it holds only from the next start on. */
  readonly isLate: boolean;
}

export interface DeskCall {
  readonly tool: string;
  readonly example: string;
  readonly fate: Fate;
  /** In a conversation that has read a web page and a file. */
  readonly afterWeb: Fate;
}

export interface DeskEdit {
  readonly path: KeyPath;
  /** Undefined: the key is taken out. */
  readonly value: JsonValue | undefined;
}

export interface EditedText {
  readonly before: DeskText;
  /** Undefined: the file must be mended first. */
  readonly text: string | undefined;
  readonly check: DeskCheck;
}

export interface DeskWish {
  readonly text: string;
  /** Of the text that it was made from. */
  readonly stamp: string;
  readonly language: Language;
  /** What the running Keyturn holds, at each moment. */
  readonly held: (language: Language) => HeldConfig;
}

/** The config that is in force. */
export interface HeldConfig {
  /** With all defaults; marks stand for what may be secret. */
  readonly config: JsonValue;
  /** Why the file as it is now is not in force. */
  readonly fault: string | undefined;
  /** Whether edits are noticed. In a workspace, only a person can have the file read. */
  readonly isFollowed: boolean;
}

export type DeskSaved =
  | {
      readonly type: 'saved';
      readonly now: DeskText;
      readonly differences: readonly DeskDifference[];
      readonly warnings: readonly string[];
      readonly outcome: TakenOver;
      /** Where the text is that stood there, if it is among no versions. */
      readonly kept: string | undefined;
    }
  /** The file has been changed by somebody else meanwhile. Nothing was written. */
  | { readonly type: 'conflict'; readonly now: DeskText }
  /** It could not be used. Nothing was written. */
  | { readonly type: 'faulty'; readonly faults: readonly DeskFault[] }
  /** In words. Nothing was written. */
  | { readonly type: 'refused'; readonly why: string };

/** How the running Keyturn took a config over. */
export type TakenOver =
  | { readonly type: 'in-force' }
  /** All but these keys, which hold from the next start on. */
  | { readonly type: 'but'; readonly keys: readonly string[] }
  /** It holds what it held before. */
  | { readonly type: 'refused'; readonly fault: string }
  /** It lies in a workspace, and is read only when a person says so. */
  | { readonly type: 'needs-hang-up' }
  /** Not within some seconds. */
  | { readonly type: 'not-yet' };

export interface DeskVersion {
  /** From 1, the newest. */
  readonly number: number;
  /** In ms since 1970. */
  readonly keptAt: number;
  /** What differs from the file: its keys. Undefined: the file is no JSON. */
  readonly differs: readonly string[] | undefined;
}

export interface VersionText {
  readonly before: DeskText;
  /** With marks for secrets. Undefined: it lacks secrets. */
  readonly text: string | undefined;
  /** The keys whose secrets nobody has any longer. */
  readonly lacking: readonly string[];
  readonly faults: readonly DeskFault[];
  readonly differences: readonly DeskDifference[];
}

export interface KeptSecret {
  readonly name: string;
  readonly value: string;
  /** Whether another value that is there may be replaced. */
  readonly replaces: boolean;
}

export type SecretKept =
  /** `name`: how the config names it now, which is another one if the process has the wanted one from elsewhere. */
  | { readonly type: 'kept'; readonly name: string; readonly file: string }
  | { readonly type: 'taken'; readonly name: string }
  | { readonly type: 'refused'; readonly why: string };

/** The steps of the set-up. None of them writes. */
export interface DeskSetup {
  platforms(language: Language): Promise<readonly DeskPlatform[]>;
  /** Asks the platform. `typed`: new tokens, by their keys; others are as they are. */
  tryPlatform(name: string, typed: ReadonlyMap<string, string>, language: Language): Promise<TriedPlatform | undefined>;
  /** What is found here: keys, and servers of this machine. */
  models(language: Language): Promise<readonly DeskModel[]>;
  /** Asks the model, or the server which models it has. */
  tryModel(wish: ModelWish, language: Language): Promise<TriedModel>;
}

export interface DeskPlatform {
  readonly name: string;
  readonly title: string;
  readonly isOn: boolean;
  /** How a person gets the tokens. */
  readonly help: string;
  readonly tokens: readonly {
    readonly key: string;
    readonly variable: string;
    readonly question: string;
    /** Whether there is one already. */
    readonly isThere: boolean;
  }[];
}

/** What a trial has shown, and what would be set. */
export interface TriedPlatform extends DeskDraft {
  readonly ok: boolean;
  /** How it is, if all is well. */
  readonly state: string;
  readonly problems: readonly { readonly what: string; readonly why: string; readonly mend: string }[];
}

/** What would be set: first the secrets, which the config then names. */
export interface DeskDraft {
  readonly edits: readonly DeskEdit[];
  /** The names of variables that hold what was typed, by the keys of the typed values. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface DeskModel {
  readonly label: string;
  readonly hint: string;
  readonly wish: ModelWish;
}

export interface ModelWish {
  readonly provider: string;
  readonly name: string | undefined;
  readonly baseUrl: string | undefined;
  /** Typed just now. */
  readonly apiKey: string | undefined;
}

export type TriedModel =
  | (DeskDraft & { readonly type: 'tried'; readonly ok: boolean; readonly said: string })
  /** No model is named yet. The server has these. */
  | { readonly type: 'names'; readonly names: readonly string[] }
  | { readonly type: 'refused'; readonly why: string };

export interface CommandOutput {
  /** Null if it was ended. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
