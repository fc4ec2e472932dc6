/**
 * Files of `src/` and `channels/` whose sentences no person reads in a chat, the terminal or `config check`, and who does read
 * them: a model (what tools and prompts tell it, in English), a log, a program, or the author of one. Words that rules look
 * for count as read by a program.
 */
export const otherReaders: Readonly<Record<string, 'a model' | 'a log' | 'a program' | 'an author'>> = {
  'src/features/agents/delegate.ts': 'a model',
  'src/features/composed/composed-tool.ts': 'a model',
  'src/features/memory/memory-tools.ts': 'a model',
  'src/features/planning/firing.ts': 'a model',
  'src/features/planning/planned-time.ts': 'a model',
  'src/features/planning/planning-tools.ts': 'a model',
  'src/tools/deeds.ts': 'a program',
  'src/tools/guard/command/command-reading.ts': 'a program',
  'src/tools/guard/command/command-rules.ts': 'a model',
  'src/tools/guard/command/evaluated-values.ts': 'a program',
  'src/tools/guard/command/hidden-code.ts': 'a program',
  'src/tools/guard/command/inner-commands.ts': 'a program',
  'src/tools/guard/command/known-commands.ts': 'a program',
  'src/tools/guard/command/made-files.ts': 'a program',
  'src/tools/guard/command/read-commands.ts': 'a program',
  'src/tools/guard/command/risks.ts': 'a program',
  'src/tools/guard/command/shell-doubts.ts': 'a program',
  'src/tools/guard/command/steering-variables.ts': 'a program',
  'src/tools/guard/network/network-rules.ts': 'a model',
  'src/tools/guard/network/web-client.ts': 'a model',
  'src/tools/guard/process/process.ts': 'a model',
  'src/tools/guard/process/protected-places.ts': 'a model',
  'src/tools/guard/process/sandbox-network.ts': 'a program',
  'src/tools/guard/process/sandbox.ts': 'a model',
  'src/tools/guard/redact/redact.ts': 'a program',
  'src/tools/guard/worker/run-in-worker.ts': 'a log',
};
