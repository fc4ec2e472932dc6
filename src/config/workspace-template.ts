import { z } from 'zod';
import { nearest } from '../lib/nearest.ts';

/** What a workspace path may contain, so that conversations get folders of their own. */
const workspacePlaceholders = ['channel', 'chat_id', 'thread_id'] as const;

/** A path, or a template of one. */
export const workspaceTemplate = z
  .string()
  .min(1)
  .superRefine((template, context) => {
    const names = [...template.matchAll(/\{([^{}]*)\}?|\}/g)];
    const unknown = names.find(([found]) => !workspacePlaceholders.some((name) => found === `{${name}}`));
    if (unknown !== undefined) context.addIssue({ code: 'custom', message: explain(unknown[1] ?? '') });
  });

function explain(name: string): string {
  const guess = nearest(name, workspacePlaceholders);
  const list = workspacePlaceholders.map((placeholder) => `{${placeholder}}`).join(', ');
  const hint = guess === undefined ? '' : ` Did you mean {${guess}}?`;
  return `in braces it may contain ${list}, and nothing else.${hint}`;
}
