/*
 * What is found of another program that a person used before. A reader per program turns its files into these shapes; what
 * follows knows no program.
 */

import type { JsonObject } from '../../lib/json.ts';
import type { InLanguage } from '../../lib/words.ts';

/** A program that people come from. */
export interface Former {
  /** As it is written on the command line. */
  readonly name: string;
  /** As it calls itself. */
  readonly title: string;
  /** Where it keeps its files, the likeliest first. Relative to the home folder of the user. */
  readonly folders: readonly string[];
  /** The variable of the environment that names another folder. */
  readonly variable?: string;
  /** Files of which at least one is in its folder. */
  readonly marks: readonly string[];
  /** Changes nothing there. What cannot be read is named in `left`; nothing of it throws. */
  read(looking: Looking): Promise<Findings>;
}

/** Where and when a reader looks. */
export interface Looking {
  /** The program's folder, absolute. */
  readonly folder: string;
  /** The home folder of the user: what `~` means in its config. */
  readonly home: string;
  readonly now: number;
}

export interface Findings {
  /** The first one answers; the others stand in for it. */
  readonly models: readonly FoundModel[];
  readonly channels: readonly FoundChannel[];
  /** For the model, in their order. */
  readonly instructions: readonly FoundText[];
  readonly memories: readonly FoundMemory[];
  readonly schedules: readonly FoundSchedule[];
  readonly servers: readonly FoundServer[];
  /** IANA; undefined if the program's config has none. */
  readonly timeZone?: string | undefined;
  /** What has no place, or may not be taken. */
  readonly left: readonly Left[];
}

/** Something that is not taken, and why. */
export interface Left {
  /** Names it: a key, a file, the title of a task. No secret. */
  readonly what: string;
  /** The file that has it, relative to the program's folder. */
  readonly file: string;
  readonly why: InLanguage;
  /** Not a loss, but to be known. */
  readonly isNotice?: true;
}

/** A secret and the variable that is to hold it. */
export interface Secret {
  readonly variable: string;
  readonly value: string;
}

export interface FoundModel {
  readonly provider: 'anthropic' | 'openai' | 'google' | 'openai_compatible';
  /** The provider's name for it. */
  readonly name: string;
  readonly baseUrl?: string | undefined;
  readonly key?: Secret | undefined;
  readonly file: string;
}

export interface FoundChannel {
  readonly channel: 'telegram' | 'slack' | 'discord';
  readonly file: string;
  readonly isOn: boolean;
  /** Whether it listened to everybody. */
  readonly isOpen: boolean;
  /** By the key of our config: `token`, `bot_token`. */
  readonly tokens: Readonly<Record<string, Secret>>;
  /** The ids of those who may talk anywhere. */
  readonly people: readonly string[];
  /** Those whom the program called its owners. */
  readonly owners: readonly string[];
  /** By the ids of our config. */
  readonly groups: Readonly<Record<string, FoundGroup>>;
}

export interface FoundGroup {
  readonly needsMention: boolean;
  readonly people: readonly string[];
}

export interface FoundText {
  readonly file: string;
  readonly text: string;
}

export interface FoundMemory extends FoundText {
  readonly tags: readonly string[];
}

export interface FoundSchedule {
  readonly file: string;
  readonly title: string;
  readonly text: string;
  readonly when: When;
  /** Where it spoke: a channel and the chat's id there. Undefined: nowhere in particular. */
  readonly chat?: { readonly channel: string; readonly id: string } | undefined;
}

export type When =
  /** Five fields. Without a time zone: that of the program. */
  | { readonly type: 'cron'; readonly cron: string; readonly timeZone?: string | undefined }
  | { readonly type: 'once'; readonly at: number }
  /** `from`: one of its times. */
  | { readonly type: 'every'; readonly milliseconds: number; readonly from?: number | undefined };

export interface FoundServer {
  readonly name: string;
  readonly file: string;
  readonly settings: JsonObject;
  readonly secrets: readonly Secret[];
}
