/** An object as it goes over the wire. */
export type Wire = Readonly<Record<string, unknown>>;
