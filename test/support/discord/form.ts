import type { z } from 'zod';
import { type FormMistake, invalidForm } from './refusal.ts';

/** Reads a body. Throws the refusal 50035 that names everything that is wrong with it. */
export function readForm<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  throw invalidForm(result.error.issues.map(mistakeOf));
}

/** A mistake that a schema finds by itself, with the code that Discord gives it. */
export function ownMistake(code: string, message: string, path: PropertyKey[] = []) {
  return { code: 'custom', message, path, params: { code } } as const;
}

function mistakeOf(issue: z.core.$ZodIssue): FormMistake {
  const { path } = issue;
  switch (issue.code) {
    case 'custom':
      return { path, code: String(issue.params?.code ?? 'BASE_TYPE_BAD'), message: issue.message };
    case 'too_big':
      return { path, code: 'BASE_TYPE_MAX_LENGTH', message: `Must be ${issue.maximum} or fewer in length.` };
    case 'too_small':
      return { path, code: 'BASE_TYPE_BAD_LENGTH', message: `Must be ${issue.minimum} or more in length.` };
    case 'invalid_type':
      if (issue.input === undefined) return { path, code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };
      return { path, code: `BASE_TYPE_BAD_${issue.expected.toUpperCase()}`, message: `Expected ${issue.expected}.` };
    default:
      return { path, code: 'BASE_TYPE_CHOICES', message: issue.message };
  }
}
