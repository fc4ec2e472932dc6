import { describe, expect, test } from 'vitest';
import { coreCommands } from '../../src/conversation/commands/core-commands.ts';
import { defineCommands, inMenuOrder, offered } from '../../src/conversation/commands/definition.ts';
import { commandMenu, loadFeatures } from '../../src/daemon/command-menu.ts';
import type { FeatureDefinition } from '../../src/feature-points.ts';
import { catalogue, languages } from '../../src/lib/words.ts';

const definitions = await loadFeatures();

function namesIn(features: readonly FeatureDefinition[]): readonly string[] {
  return commandMenu(features).map(({ name }) => name);
}

describe('the menu of commands', () => {
  test('begins with what is used most, whichever part it belongs to', () => {
    expect(namesIn(definitions).slice(0, 3)).toEqual(['stop', 'new', 'approve']);
    expect(namesIn(definitions)).toEqual(expect.arrayContaining(['pin', 'timezone', 'claim']));
  });

  test('has no command of a feature that is left out', () => {
    expect(new Set(namesIn([]))).toEqual(new Set(coreCommands.all.map(({ name }) => name)));
    for (const left of definitions) {
      const rest = namesIn(definitions.filter((one) => one !== left));
      for (const { name } of left.commands ?? []) expect(rest).not.toContain(name);
    }
  });

  test('is refused if two parts have a command of one name', () => {
    const words = { menu: { stop: { description: 'Stop it', argument: '', help: '' } } };
    const twin = defineCommands(catalogue({ en: words, zh: words }), { stop: { section: 'now', order: 1 } });
    expect(() => inMenuOrder([...coreCommands.all, ...twin.all])).toThrow('Two parts have a command /stop');
  });

  test('describes each command in each language, as briefly as platforms want it', () => {
    for (const definition of commandMenu(definitions)) {
      for (const language of languages) {
        const { description, argument, help } = definition.words(language);
        expect(description).not.toBe('');
        // Discord takes 100 characters. Telegram's description has the arguments as well.
        expect(Math.max(description.length, argument.length)).toBeLessThanOrEqual(100);
        expect(help === '').toBe(definition.words('en').help === '');
        expect(argument === '').toBe(definition.words('en').argument === '');
      }
      expect(definition.words('zh').description).toMatch(/\p{Script=Han}/u);
    }
  });

  test('tells channels which commands are for owners only', () => {
    const owners = commandMenu(definitions)
      .map(offered)
      .filter(({ seenBy }) => seenBy === 'owners');
    expect(new Set(owners.map(({ name }) => name))).toEqual(
      new Set(['mcp', 'pair', 'people', 'unpair', 'trust', 'distrust', 'config']),
    );
  });
});
