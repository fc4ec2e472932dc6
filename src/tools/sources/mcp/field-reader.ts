/** What a form takes for one of its fields. */
export type FieldValue = string | number | boolean | string[];

export type FieldReading =
  | { readonly valid: true; readonly value: FieldValue }
  /** What is wrong, as a sentence for the person. */
  | { readonly valid: false; readonly why: string };

/** Reads what a person writes for a field. */
export interface FieldReader {
  /** What a person may answer, in a few words; empty where that is plain. */
  readonly hint: string;
  read(answer: string): FieldReading;
}

export interface Choice {
  readonly value: string | boolean;
  /** What people read, different for each choice. */
  readonly label: string;
}
