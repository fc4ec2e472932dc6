import { z } from 'zod';
import { bytes, seconds, toolPattern, variableName } from './setting-kinds.ts';

const enabled = z.boolean().default(true).describe('false: the model is not told of it.');

const shell = z.strictObject({
  enabled,
  timeout_secs: seconds(60).describe('A command that takes longer is killed.'),
  max_output_bytes: bytes(1_048_576).describe('Output beyond this is dropped.'),
  env: z
    .array(variableName)
    .default([])
    .describe('Environment variables that commands may see besides the harmless ones.'),
});

const plain = z.strictObject({ enabled });

/** The built-in tools, and what holds for all tools. */
export const toolSettings = z.strictObject({
  disabled: z.array(toolPattern).default([]).describe('Tools that are off: a name, "prefix*", "*suffix" or "*".'),
  timeout_secs: seconds(600).describe('The longest that any tool may take.'),
  max_result_chars: z
    .number()
    .int()
    .min(200)
    .max(10_000_000)
    .default(50_000)
    .describe('Of a longer result, the model reads the beginning and the end.'),
  shell: shell.prefault({}).describe('Runs a shell command in the workspace.'),
  read_file: z
    .strictObject({ enabled, max_bytes: bytes(10_485_760).describe('The largest file that is read.') })
    .prefault({})
    .describe('Reads a file of the workspace.'),
  list_dir: plain.prefault({}).describe('Lists a folder of the workspace.'),
  write_file: z
    .strictObject({ enabled, max_bytes: bytes(10_485_760).describe('The largest file that is written.') })
    .prefault({})
    .describe('Writes a file of the workspace.'),
  edit_file: plain.prefault({}).describe('Replaces text in a file of the workspace.'),
  echo: plain.prefault({}).describe('Says back what it is given, to try things out.'),
});
