import { describe, expect, test } from 'vitest';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { commandMenu, loadFeatures } from '../../src/daemon/command-menu.ts';
import { languages } from '../../src/lib/words.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { buttonOf } from '../support/platform-traffic.ts';

const words = commandWords.en;

/** The sections of a text of help: each title with the names of the commands below it, in order. */
function sectionsOf(text: string): readonly (readonly [string, readonly string[]])[] {
  const paragraphs = text.split('\n\n').slice(1);
  return paragraphs.map((paragraph) => {
    const [title = '', ...lines] = paragraph.split('\n');
    return [title.replaceAll('*', ''), lines.flatMap((line) => line.match(/(?<=`\/)\w+/g) ?? [])] as const;
  });
}

/** The names of the commands of a first page, in order. */
function commandsOf(page: string): readonly string[] {
  const lines = page.split('\n').filter((line) => line.startsWith('- '));
  return lines.map((line) => /`\/(\w+)/.exec(line)?.[1] ?? '');
}

const mostLines = 15;
const roles = [
  { role: 'an owner', by: 'ada', where: {}, at: 'test:ada', often: ['why', 'model', 'schedules', 'tools', 'pair'] },
  { role: 'a friend', by: 'bob', where: {}, at: 'test:bob', often: ['why', 'model', 'schedules', 'tools'] },
  { role: 'a group', by: 'ada', where: { in: group }, at: 'test:team', often: ['why', 'model', 'tools'] },
];

describe('the first page of /help', () => {
  for (const { role, by, where, at, often } of roles)
    for (const language of languages)
      test(`has for ${role} three things to say and what is used most, in ${mostLines} lines (${language})`, async () => {
        const { channel } = await daemonSetting({ allowFrom: ['bob'], config: { language } });
        const own = commandWords[language];
        const { text } = await channel.ask('/help', own.about, { by, at, ...where });
        expect(text.split('\n').length).toBeLessThanOrEqual(mostLines);
        expect(text.endsWith(own.moreHelp)).toBe(true);
        expect(commandsOf(text)).toEqual(['stop', 'new', 'status', 'undo', ...often]);
      });

  test('leads to all commands, and back, in the same message', async () => {
    const { channel } = await daemonSetting();
    const page = await channel.ask('/help', words.about);
    await channel.press(buttonOf(page, words.buttonAllCommands));
    await channel.whenIdle();
    const shown = () => channel.screen.find(({ ref }) => ref === page.ref);
    expect(shown()?.text).toContain(words.sections.owners);
    await channel.press(buttonOf(shown() ?? page, words.buttonBack));
    await channel.whenIdle();
    expect(shown()?.text).toBe(page.text);
  });
});

describe('/help NAME', () => {
  test('explains each command that there is, with its line and those of its other forms', async () => {
    const { channel } = await daemonSetting();
    for (const { name, words: wordsOf } of commandMenu(await loadFeatures())) {
      const { description, help } = wordsOf('en');
      const { text } = await channel.ask(`/help ${name}`, description);
      if (help !== '') expect(text).toContain(help);
    }
    const { text } = await channel.ask('/help /trust', words.trustHereHelp);
    expect(text).toContain('`/trust ID`');
  });

  test('names the nearest where there is no such command', async () => {
    const { channel } = await daemonSetting();
    const answer = await channel.ask('/help staus', words.didYouMean({ command: '`/staus`', meant: '`/status`' }));
    await channel.pressToSee(buttonOf(answer, '/help status'), words.menu.status.description);
  });
});

describe('/help all', () => {
  test('is grouped, short, and lists in each group first what is used most', async () => {
    const { channel } = await daemonSetting();
    const { text } = await channel.ask('/help all', words.about);
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
    const { text } = await channel.ask('/help all', words.about, { by: 'bob', at: 'test:bob' });
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
