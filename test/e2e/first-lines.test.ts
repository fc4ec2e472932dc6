import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliWords } from '../../src/cli/words.ts';
import { textWidth } from '../../src/lib/text-width.ts';
import type { Language } from '../../src/lib/words.ts';
import { newFolder } from '../support/new-folder.ts';
import { startOnTerminal } from './on-terminal.ts';

const styles = new RegExp(`${'\u001b'}\\[\\d+m`, 'g');

describe('the first lines on a terminal', () => {
  test.each(['en', 'zh'] as const)('fit 80 columns in %s, in a screenful, and break no word', async (language) => {
    const { lines } = await firstLines(language, 80);
    const facts = lines.slice(0, lines.indexOf(''));
    expect(Math.max(...lines.map((line) => textWidth(line)))).toBeLessThanOrEqual(80);
    expect(facts.length).toBeLessThanOrEqual(11);
    for (const word of ['ANTHROPIC_API_KEY=…', 'write_file']) expect(lines.join('\n')).toContain(word);
  });

  test('a warning stands last, in colour, and is not coloured where colour is not wanted', async () => {
    const { written, lines } = await firstLines('en', 80, { open: true });
    expect(lines.slice(lines.indexOf('')).join(' ')).toMatch(/ chmod 700 +\S+\/w$/);
    expect(written).toMatch(new RegExp(`${'\u001b'}\\[33m  ${cliWords.en.labels.warning} `));
    const { written: plain } = await firstLines('en', 80, { open: true, NO_COLOR: '1' });
    expect(plain).toContain(`  ${cliWords.en.labels.warning} `);
    expect(plain).not.toContain('\u001b[33m');
  });

  test('forty columns are enough', async () => {
    const { lines } = await firstLines('en', 40);
    const long = lines.filter((line) => textWidth(line) > 40);
    // Paths are copied: they are not broken.
    expect(long.every((line) => line.trim().split(/\s+/).length <= 2)).toBe(true);
  });
});

interface Wanted {
  /** Others can enter the workspace. */
  readonly open?: boolean;
  readonly NO_COLOR?: string;
}

/** What Keyturn says at a terminal before it takes the first line, as a person sees it. */
async function firstLines(language: Language, columns: number, { open = false, NO_COLOR }: Wanted = {}) {
  const folder = await newFolder();
  await writeFile(join(folder, 'config.json'), JSON.stringify({ model: 'offline', language, workspace: './w' }));
  if (open) {
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'w'), { mode: 0o755 });
  }
  const terminal = startOnTerminal({ folder, columns, env: NO_COLOR === undefined ? {} : { NO_COLOR } });
  await terminal.wrote('›');
  terminal.type('\u0004');
  await terminal.ended();
  const written = terminal.written();
  const [greeting = ''] = written.replaceAll('\r', '').split('\u001b[?2004h');
  return { written, lines: greeting.replace(styles, '').trim().split('\n') };
}
