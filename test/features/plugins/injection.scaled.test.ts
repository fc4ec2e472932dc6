import { describe, expect, test } from 'vitest';
import { writePlugin, writeTroublesome } from '../../support/plugin-files.ts';
import { isThorough, sampled } from '../../support/thorough.ts';
import { contextIn } from '../../tools/setting.ts';
import { hostileValues } from '../../tools/sources/custom/hostile-values.ts';
import { type PluginSetting, pluginSetting, startTrusted } from './plugin-setting.ts';

const texts = sampled(hostileValues(), 10);
const names = Array.from({ length: 10 }, (_, index) => `p${index}`);

/** As the tool says it: nothing is cleaned or cut. */
async function rawCall(
  { prepare, workspace }: PluginSetting,
  tool: string,
  args: Record<string, string>,
): Promise<string> {
  return (await (await prepare(tool, args)).execute(contextIn(workspace))).forLlm;
}

/** Ten at a time. */
function batches(): readonly Record<string, string>[] {
  return Array.from({ length: texts.length / names.length }, (_, batch) =>
    Object.fromEntries(names.map((name, index) => [name, texts[batch * names.length + index] ?? ''])),
  );
}

describe('500 strings that try to break out', () => {
  test('arrive by JSON-RPC exactly as they are', async () => {
    const setting = await pluginSetting();
    await writeTroublesome(setting.folder);
    await startTrusted(setting, 'troublesome');
    for (const args of batches()) expect(JSON.parse(await rawCall(setting, 'arguments', args))).toEqual(args);
    expect(texts).toHaveLength(isThorough ? 500 : 50);
  });

  test('arrive at a command each as exactly one argument', async () => {
    const setting = await pluginSetting();
    const command = `node "$KEYTURN_PLUGIN_DIR"/show.mjs ${names.map((name, index) => (index % 2 === 0 ? `{{${name}}}` : `"{{${name}}}"`)).join(' ')}`;
    const parameters = Object.fromEntries(names.map((name) => [name, 'string']));
    const tools = [{ name: 'show', description: 'Shows its arguments.', parameters, command }];
    await writePlugin(setting.folder, { name: 'shower', version: '1', description: 'Shows.', tools }, 'shower', {
      'show.mjs': 'process.stdout.write(JSON.stringify(process.argv.slice(2)));',
    });
    await startTrusted(setting, 'shower');
    for (const args of batches()) {
      const withoutNul = Object.entries(args).map(([name, text]) => [name, text.replaceAll('\0', '0')] as const);
      const shown = await rawCall(setting, 'show', Object.fromEntries(withoutNul));
      expect(JSON.parse(shown.replace('[exit code 0]\n', ''))).toEqual(withoutNul.map(([, text]) => text));
    }
  });

  test('that no command can be given are forbidden, even with approval', async () => {
    const setting = await pluginSetting();
    const tools = [{ name: 'show', description: 'x', parameters: { text: 'string' }, command: 'echo {{text}}' }];
    await writePlugin(setting.folder, { name: 'shower', version: '1', description: 'Shows.', tools });
    await startTrusted(setting, 'shower');
    expect((await setting.prepare('show', { text: 'a\0b' })).forbidden).toContain('NUL character');
    expect((await setting.prepare('show', { text: 'x'.repeat(200_000) })).forbidden).toContain('too long');
  });
});
