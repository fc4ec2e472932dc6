import type { RawApi } from 'grammy';
import type { z } from 'zod';
import { UnexpectedAnswer } from './failure.ts';

/** The answer, if it holds what the Bot API promises. Throws `UnexpectedAnswer` if not. */
export function expectShape<Shape extends z.ZodType>(shape: Shape, answer: unknown, method: string): z.output<Shape> {
  const { success, data } = shape.safeParse(answer);
  if (!success) throw new UnexpectedAnswer(`${method} was answered with something that the Bot API does not say`);
  return data;
}

type ClientSignal = NonNullable<Parameters<RawApi['getMe']>[0]>;

/** grammY's types name the signal of a polyfill; it only uses what Node's signals have too. */
export function toClientSignal(signal: AbortSignal): ClientSignal {
  return signal as unknown as ClientSignal;
}
