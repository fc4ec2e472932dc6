import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import { KeyedTurns } from '../../lib/background.ts';
import type { UndoParts } from './undoing.ts';
import { undoWords } from './words.ts';

export const undoCommands = defineCommands(undoWords, { undo: { section: 'here', order: 65, isOften: true } });

/** `/undo`. What it does is loaded when somebody asks for it. */
export function obeyedUndoCommands(parts: UndoParts): readonly ObeyedCommand[] {
  const context = { ...parts, turns: new KeyedTurns() };
  return undoCommands.obeyed({ undo: async (given) => (await import('./undoing.ts')).undo(given, context) });
}
