import { z } from 'zod';
import { toolCategories } from '../tools/category.ts';
import { seconds, toolPattern } from './setting-kinds.ts';

const hook = {
  command: z
    .string()
    .min(1)
    .optional()
    .describe('What sh runs. It reads what happens as JSON, and says what it decides as JSON.'),
  plugin: z.string().min(1).optional().describe('The plugin that is asked, in place of a command.'),
  working_dir: z.string().min(1).default('.').describe('The folder that it runs in. Relative to this file.'),
  tools: z
    .array(toolPattern)
    .min(1)
    .default(['*'])
    .describe('The tools that it is about: a name, "prefix*", "*suffix" or "*".'),
  categories: z.array(z.enum(toolCategories)).default([]).describe('Only calls of these categories. Empty: of all.'),
  timeout_secs: seconds(10).describe('A command that takes longer has failed.'),
};

const beforeHook = asking(
  z.strictObject({
    ...hook,
    on_failure: z
      .enum(['cancel', 'continue'])
      .default('cancel')
      .describe('What becomes of the call if it fails: cancel, or continue as if it were not there.'),
  }),
);

/** Commands of the operator's that look at tool calls. */
export const hookSettings = z.strictObject({
  before_tool_call: z
    .array(beforeHook)
    .default([])
    .describe('Each can cancel a call or change its arguments, before it is judged. In this order.'),
  after_tool_call: z
    .array(asking(z.strictObject(hook)))
    .default([])
    .describe('Each is told what became of a call that ran.'),
});

/** Something must be there to be asked, and one thing only. */
function asking<
  Schema extends z.ZodType<{ readonly command?: string | undefined; readonly plugin?: string | undefined }>,
>(schema: Schema): Schema {
  return schema.refine(({ command, plugin }) => (command === undefined) !== (plugin === undefined), {
    error: 'expected either "command" or "plugin"',
  });
}
