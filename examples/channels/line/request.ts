import { z } from '@keyturn/sdk/channel';

const id = z.string().min(1).max(100);
const number = z.int().min(1);

const request = z.union([
  z.strictObject({ token: z.string() }),
  z.strictObject({ id, say: z.string().min(1) }),
  z.strictObject({ id, press: z.string().min(1).max(64), on: id.optional() }),
  z.strictObject({ done: number }),
  z.strictObject({ gone: number }),
]);

/** What a program says: who it is, what its person says or presses, and what became of what it was to show. */
export type Request = z.output<typeof request>;

/** Undefined if the line is none. */
export function requestIn(line: string): Request | undefined {
  try {
    return request.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
