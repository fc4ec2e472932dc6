import { posix } from 'node:path';
import { z } from 'zod';
import { toolCategories } from '../tools/category.ts';
import { toolParameters } from '../tools/sources/parameters.ts';
import { variableName } from './setting-kinds.ts';

/** A folder of the workspace. */
const innerFolder = z
  .string()
  .refine(
    isInnerFolder,
    'expected a folder in the workspace, such as "reports", that begins with no "/" and has no ".."',
  );

const customTool = z.strictObject({
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, "_" or "-"')
    .describe('What the model calls it. A built-in tool of the same name steps back.'),
  description: z.string().trim().min(1).describe('What the model is told: what it does, and when to use it.'),
  command: z
    .string()
    .refine((command) => command.trim() !== '', 'expected a command')
    .refine((command) => !command.includes('\0'), 'expected a command without NUL characters')
    .max(16_000)
    .describe('What sh runs. {{name}} stands for the value of a parameter, which is always data.'),
  category: z.enum(toolCategories).default('shell').describe('What it does at most: by it is decided whether it asks.'),
  parameters: toolParameters.describe('What it takes: as "name": "string", or as a JSON Schema of an object.'),
  working_dir: innerFolder.optional().describe('The folder of the workspace that it runs in. Left out: the workspace.'),
  timeout_secs: z.number().int().min(1).max(600).default(30).describe('What takes longer is ended.'),
  env: z
    .record(variableName, z.string())
    .default({})
    .describe('Variables of its environment, besides the harmless ones.'),
});

/** Commands that the model can call as tools of their own. */
export const customToolSettings = z
  .array(customTool)
  .superRefine((tools, context) => {
    for (const [index, { name, env }] of tools.entries()) {
      if (tools.findIndex((tool) => tool.name === name) < index) {
        const message = 'a tool further up has this name: give one of them another';
        context.addIssue({ code: 'custom', path: [index, 'name'], message, input: name });
      }
      for (const variable of Object.keys(env).filter((key) => /^KEYTURN_/i.test(key))) {
        const message = 'names that begin with KEYTURN_ are for Keyturn itself: choose another';
        context.addIssue({ code: 'custom', path: [index, 'env', variable], message, input: variable });
      }
    }
  })
  .default([]);

function isInnerFolder(path: string): boolean {
  const normal = posix.normalize(path);
  return path !== '' && !/[\0\\]/.test(path) && !normal.startsWith('/') && normal !== '..' && !normal.startsWith('../');
}
