/* What the view of the settings is told, and says. Instants are ms since 1970. */

/** A value as JSON holds it. */
export type WireValue = null | boolean | number | string | readonly WireValue[] | { readonly [key: string]: WireValue };

/** `GET settings`. */
export interface SettingsWire {
  readonly version: string;
  readonly dataFolder: string;
  readonly upSince: number;
  /** In bytes. Null: unknown. */
  readonly disk: { readonly free: number; readonly database: number } | null;
  readonly log: LogWire;
  readonly backups: readonly BackupWire[];
  /** How many backups are kept, made each day by itself. 0: none. */
  readonly backupsKept: number;
  /** The config's file. Null: this Keyturn runs without one. */
  readonly file: string | null;
  /** Why the file as it is now is not in force. */
  readonly fault: string | null;
  /** What is in force, with all defaults. Secrets are `[secret]`. */
  readonly inForce: { readonly [key: string]: WireValue };
}

export interface LogWire {
  readonly level: string;
  readonly configured: string;
  readonly levels: readonly string[];
}

export interface BackupWire {
  readonly file: string;
  readonly size: number;
  readonly madeAt: number;
}

/** `GET settings/text`. */
export interface ConfigTextWire {
  /** Differs after each change of the file. */
  readonly stamp: string;
  /** With marks in the place of secrets. Null: it cannot be shown, since it is no JSON. */
  readonly text: string | null;
  readonly isThere: boolean;
  readonly faults: readonly FaultWire[];
}

export interface FaultWire {
  /** From 1. */
  readonly line: number | null;
  readonly column: number | null;
  readonly key: string;
  readonly text: string;
}

/** `POST settings/check {text}`. */
export interface CheckWire {
  readonly faults: readonly FaultWire[];
  readonly warnings: readonly string[];
  readonly notes: readonly string[];
  readonly differences: readonly DifferenceWire[];
  /** What becomes of calls. Empty while there are faults. */
  readonly calls: readonly CallWire[];
}

export interface DifferenceWire {
  readonly key: string;
  /** Null: it was not there. */
  readonly old: WireValue;
  readonly now: WireValue;
  /** Whether it holds only from the next start on. */
  readonly isLate: boolean;
}

export type FateWire = 'runs' | 'asks' | 'is refused' | 'is off';

export interface CallWire {
  readonly tool: string;
  readonly example: string;
  readonly fate: FateWire;
  /** In a conversation that has read a web page and a file. */
  readonly afterWeb: FateWire;
}

/** One key of `POST settings/edit {edits}`. Without a value, the key is taken out. */
export interface EditWire {
  readonly path: readonly (string | number)[];
  readonly value?: WireValue;
}

/** `POST settings/edit`: the text that would be written. */
export interface EditedWire {
  readonly before: ConfigTextWire;
  readonly text: string | null;
  readonly check: CheckWire;
}

/** `POST settings/save {text, stamp}`, `POST settings/restore {version, stamp}`. */
export type SavedWire =
  | {
      readonly type: 'saved';
      readonly now: ConfigTextWire;
      readonly differences: readonly DifferenceWire[];
      readonly warnings: readonly string[];
      readonly outcome: OutcomeWire;
      /** Where the text is that stood there, if it is among no versions. */
      readonly kept: string | null;
    }
  | { readonly type: 'conflict'; readonly now: ConfigTextWire }
  | { readonly type: 'faulty'; readonly faults: readonly FaultWire[] }
  | { readonly type: 'refused'; readonly why: string };

/** How the running Keyturn took a config over. */
export type OutcomeWire =
  | { readonly type: 'in-force' | 'needs-hang-up' | 'not-yet' }
  | { readonly type: 'but'; readonly keys: readonly string[] }
  | { readonly type: 'refused'; readonly fault: string };

/** `GET settings/versions`, the newest first. */
export interface VersionsWire {
  readonly versions: readonly VersionWire[];
}

export interface VersionWire {
  readonly number: number;
  readonly keptAt: number;
  /** The keys that differ from the file. Null: the file is no JSON. */
  readonly differs: readonly string[] | null;
}

/** `GET settings/versions/NUMBER`: what going back to it would write. */
export interface VersionTextWire {
  readonly before: ConfigTextWire;
  /** Null: it lacks secrets. */
  readonly text: string | null;
  readonly lacking: readonly string[];
  readonly faults: readonly FaultWire[];
  readonly differences: readonly DifferenceWire[];
}

/** `POST settings/secret {name, value, replaces}`. */
export type SecretWire =
  | { readonly type: 'kept'; readonly name: string; readonly file: string }
  /** Another value is there. */
  | { readonly type: 'taken'; readonly name: string }
  | { readonly type: 'refused'; readonly why: string };

/** `GET settings/platforms`. */
export interface PlatformsWire {
  readonly platforms: readonly PlatformWire[];
}

export interface PlatformWire {
  readonly name: string;
  readonly title: string;
  readonly isOn: boolean;
  /** How a person gets the tokens. */
  readonly help: string;
  readonly tokens: readonly TokenWire[];
}

export interface TokenWire {
  readonly key: string;
  readonly variable: string;
  readonly question: string;
  readonly isThere: boolean;
}

/** What would be set: first the secrets, which the config then names. */
export interface DraftWire {
  readonly edits: readonly EditWire[];
  /** The names of the variables for what was typed, by the keys of the typed values. */
  readonly variables: Readonly<Record<string, string>>;
}

/** `POST settings/platforms/NAME/try {tokens}`. */
export interface TriedPlatformWire extends DraftWire {
  readonly ok: boolean;
  readonly state: string;
  readonly problems: readonly { readonly what: string; readonly why: string; readonly mend: string }[];
}

/** `GET settings/models`: what is found here. */
export interface FoundModelsWire {
  readonly models: readonly { readonly label: string; readonly hint: string; readonly wish: ModelWishWire }[];
}

/** `POST settings/models/try`. */
export interface ModelWishWire {
  readonly provider: string;
  readonly name?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

export type TriedModelWire =
  | (DraftWire & { readonly type: 'tried'; readonly ok: boolean; readonly said: string })
  | { readonly type: 'names'; readonly names: readonly string[] }
  | { readonly type: 'refused'; readonly why: string };

/** `POST settings/doctor`. */
export interface DoctorWire {
  readonly parts: readonly { readonly name: string; readonly version: string | null; readonly age: string }[];
  /** Of the installation. */
  readonly faults: readonly string[];
  readonly checks: readonly DoctorCheckWire[];
}

export interface DoctorCheckWire {
  readonly name: string;
  readonly ok: boolean;
  readonly state: string;
  readonly problems: readonly {
    readonly fault: boolean;
    readonly what: string;
    readonly why: string;
    readonly mend: string;
  }[];
}

/** `POST settings/backup`. */
export interface MadeBackupWire {
  readonly file: string;
  readonly size: number;
}

/** `POST settings/report`. */
export interface ReportWire {
  readonly name: string;
  readonly text: string;
}
