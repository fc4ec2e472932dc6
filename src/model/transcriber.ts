/** What somebody spoke. */
export interface Recording {
  readonly bytes: Uint8Array;
  /** As the platform has it: anything may stand in it. */
  readonly mediaType?: string;
}

/** The port to a model that writes down what is spoken. */
export interface Transcriber {
  /** What is said in it: never blank. Throws `TranscriptionError`, or whatever the signal was aborted with. */
  transcribe(recording: Recording, signal: AbortSignal): Promise<string>;
}

/** Why there is no transcript: a clause for the person who spoke, without a full stop. Holds no key. */
export class TranscriptionError extends Error {
  override readonly name = 'TranscriptionError';
  /** A later try may succeed. */
  readonly isTransient: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTransient: boolean }) {
    super(message, options);
    this.isTransient = options.isTransient;
  }
}
