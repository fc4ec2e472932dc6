/** One thing that is wrong with the config, in words for the operator. Holds no secret. */
export interface Fault {
  /** As it was given on the command line. Undefined where the fault is in no file. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 units. */
  readonly column?: number;
  /** `approval.policy`. Empty where it is about the whole file. */
  readonly key: string;
  /** What is expected, what was found, what to do. */
  readonly text: string;
}

/** The config can't be used. The message has one line for each fault, sorted by place. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[], options?: ErrorOptions) {
    super(faults.map(describeFault).join('\n'), options);
    this.faults = faults;
  }
}

/** `config.json:12:5  approval.polcy: unknown key.` */
function describeFault({ file, line, column, key, text }: Fault): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const subject = key === '' ? text : `${key}: ${text}`;
  return place === '' ? subject : `${place}  ${subject}`;
}
