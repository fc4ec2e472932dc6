/** A model of the config, as far as it matters before it is opened. */
export interface NamedModel {
  readonly key: string;
  readonly name: string;
  readonly provider: string;
  readonly seesImages?: boolean;
}

/** How the operator calls a model, and whether it sees pictures: what is known before it is opened. */
export function describeModel({ key, name, provider, seesImages }: NamedModel): {
  readonly label: string;
  readonly seesImages: boolean;
} {
  return { label: `${key} (${name})`, seesImages: seesImages ?? provider !== 'openai_compatible' };
}
