import { z } from 'zod';
import { isJsonObject } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';

/** The placeholders of a workspace path, which give conversations their own folders. */
const workspacePlaceholders = ['channel', 'chat_id', 'thread_id', 'sender'] as const;

/** A path, or a template of one. */
export const workspaceTemplate = z
  .string()
  .min(1)
  .superRefine((template, context) => {
    const names = [...template.matchAll(/\{([^{}]*)\}?|\}/g)];
    const unknown = names.find(([found]) => !workspacePlaceholders.some((name) => found === `{${name}}`));
    if (unknown !== undefined) context.addIssue({ code: 'custom', message: explain(unknown[1] ?? '') });
  });

/** Whether everybody works in one folder. With a folder per chat, only members of a group share one. */
export function isSharedFolder(template: string): boolean {
  return !template.includes('{sender}') && !template.includes('{chat_id}');
}

/** The warning at start if people share a folder. `letIn`: the number of people let in with a code. */
export function sharingWarnings(
  config: {
    readonly workspace: string;
    readonly owners: readonly string[];
    readonly channels: Readonly<Record<string, unknown>>;
  },
  letIn: number,
): readonly string[] {
  const { workspace, owners, channels } = config;
  if (!isSharedFolder(workspace)) return [];
  const named = Object.entries(channels).flatMap(([name, block]) => {
    if (!isJsonObject(block) || block.enabled === false) return [];
    const groups = isJsonObject(block.groups) ? Object.values(block.groups) : [];
    return [block, ...groups]
      .flatMap((place) => (isJsonObject(place) && Array.isArray(place.allow_from) ? place.allow_from : []))
      .map((id) => `${name}:${String(id)}`)
      .filter((principal) => !owners.includes(principal));
  });
  if (named.length + letIn === 0) return [];
  return [
    `workspace is one folder for everybody: people other than owners may talk here, and can read and change each other's files. Put {sender} in it, as "${workspace}/{sender}", to give each a folder of their own.`,
  ];
}

function explain(name: string): string {
  const guess = nearest(name, workspacePlaceholders);
  const list = workspacePlaceholders.map((placeholder) => `{${placeholder}}`).join(', ');
  const hint = guess === undefined ? '' : ` Did you mean {${guess}}?`;
  return `in braces it may contain ${list}, and nothing else.${hint}`;
}
