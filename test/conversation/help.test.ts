import { describe, expect, test } from 'vitest';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';

const words = commandWords.en;

/** The sections of a text of help: each title with the names of the commands below it, in order. */
function sectionsOf(text: string): readonly (readonly [string, readonly string[]])[] {
  const paragraphs = text.split('\n\n').slice(1);
  return paragraphs.map((paragraph) => {
    const [title = '', ...lines] = paragraph.split('\n');
    return [title.replaceAll('*', ''), lines.flatMap((line) => line.match(/(?<=`\/)\w+/g) ?? [])] as const;
  });
}

describe('/help', () => {
  test('is grouped, short, and lists in each group first what is used most', async () => {
    const { channel } = await daemonSetting();
    const { text } = await channel.ask('/help', words.about);
    const sections = sectionsOf(text);
    const { now, here, yours, owners } = words.sections;
    expect(sections.map(([title]) => title)).toEqual([now, here, yours, owners]);
    expect(sections[0]?.[1].slice(0, 3)).toEqual(['stop', 'new', 'approve']);
    const menu = channel.commands.map(({ name }) => name);
    for (const line of text.split('\n').filter((each) => each.startsWith('- '))) expect(line.length).toBeLessThan(90);
    for (const [title, names] of sections) {
      const places = text
        .split('\n\n')
        .find((paragraph) => paragraph.startsWith(`**${title}**`))
        ?.split('\n')
        .slice(1)
        .map((line) => menu.indexOf(/`\/(\w+)/.exec(line)?.[1] ?? ''));
      expect(places).toEqual(places?.toSorted((one, other) => one - other));
      for (const name of names) expect(menu).toContain(name);
    }
    const listed = sections.flatMap(([, names]) => names);
    expect(new Set([...listed, 'help', 'claim'])).toEqual(new Set(menu));
  });

  test('tells people who are no owners nothing that only owners may do', async () => {
    const { channel } = await daemonSetting({ allowFrom: ['bob'] });
    const { text } = await channel.ask('/start', words.about, { by: 'bob', at: 'test:bob' });
    expect(sectionsOf(text).map(([title]) => title)).not.toContain(words.sections.owners);
    expect(text).not.toMatch(/\/(?:pair|people|trust|config)\b/);
  });
});

describe('a command that is misspelt', () => {
  test('is answered with the nearest that there is, whichever it is', async () => {
    const { channel } = await daemonSetting();
    const others = { staus: 'status', aprove: 'approve', hlep: 'help', nwe: 'new', cancel: 'stop', reset: 'new' };
    const doubled = channel.commands.map(({ name }): [string, string] => [`${name}${name.at(-1)}`, name]);
    for (const [written, meant] of [...Object.entries(others), ...doubled])
      await channel.ask(`/${written}`, words.didYouMean({ command: `\`/${written}\``, meant: `\`/${meant}\`` }));
    await channel.ask('/xyzzyplugh', words.unknown({ command: '`/xyzzyplugh`' }));
  });

  test('is told as commands are typed on that channel', async () => {
    const { channel } = await daemonSetting({ channel: { capabilities: { commandPrefix: '/keyturn ' } } });
    await channel.ask('/staus', 'Did you mean `/keyturn status`?');
  });
});
