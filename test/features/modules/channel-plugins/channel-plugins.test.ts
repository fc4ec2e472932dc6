import { once } from 'node:events';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trustWords } from '../../../../src/extension-kit/trust/words.ts';
import { channelPluginWords } from '../../../../src/features/modules/channel-plugins/words.ts';
import { closeServer } from '../../../support/loopback.ts';
import { newFile } from '../../../support/new-folder.ts';
import { call, held } from '../../../support/scripted-model.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { type PluggedSetting, pluggedSetting } from './plugged-setting.ts';

const runs = '"channel":"line"} ';

const capabilities =
  '{ maxLength: 1000, forms: false, maxFileBytes: 0, editPause: { direct: 0, group: 0 }, history: true }';

/** The file of a channel, whose adapter is an expression that may stand on a plain `adapter`. */
function channelFile(name: string, adapter = 'adapter', settings = ''): string {
  return `import { existsSync } from 'node:fs';
    import { defineChannel, z } from '@keyturn/sdk/channel';
    const adapter = { capabilities: ${capabilities}, measure: (text) => text.length, start: async () => {}, stop: async () => {}, send: async () => ({ id: 'a' }) };
    export default defineChannel({ name: '${name}', settings: z.strictObject({ ${settings} }), create: () => (${adapter}) });`;
}

async function running(): Promise<PluggedSetting> {
  const one = await pluggedSetting();
  await one.setting.channel.ask('hi', 'The channel plugin `line`');
  await one.trustAll();
  await one.log.says(`a channel from elsewhere runs {${runs}`);
  return one;
}

const words = channelPluginWords.en;
const changedNews = trustWords.en.news({ subject: '', isChanged: true }).replace(/^🔑 /, '');

describe('a channel from elsewhere', () => {
  test('is off until an owner trusts it, talks at once then, and after a restart', async () => {
    const one = await pluggedSetting();
    const { platform, setting } = one;
    const { text } = await setting.channel.ask('hi', 'The channel plugin `line`');
    expect(text).toContain(words.intro({ where: { path: '|' } }).split('|')[1]);
    expect(text).toContain('`guest.ts`');
    expect(await one.status()).toMatch(new RegExp(`line: .*${words.needsTrust.split(':')[0]}`));
    platform.say('before');
    await one.trustAll();
    await setting.channel.sees('Trusted: the channel plugin `line`');
    setting.model.next('answered on the line');
    await one.sees('answered on the line');
    await waitUntil(() => platform.isConfirmed());
    expect(await one.status()).toContain('line: connected');
    await setting.restart();
    setting.model.next('answered again');
    platform.say('after');
    await one.sees('answered again');
    expect(setting.channel.screen.filter((shown) => shown.text.includes('The channel plugin'))).toHaveLength(1);
  });

  test('asks for approvals, and a press there decides, also after a restart', async () => {
    const one = await running();
    const { platform, setting } = one;
    setting.model.next([call('write_file', { path: 'a.txt', content: 'hello' })], 'written');
    platform.say('write it');
    await one.sees('[✅ Approve]');
    // A card whose answer is lost is sent once more, much later.
    await waitUntil(() => setting.rows(`SELECT seq FROM outbox WHERE state <> 'delivered'`).length === 0);
    await setting.restart();
    platform.press('✅ Approve');
    await one.sees('written');
    expect(await readFile(join(setting.workspace, 'a.txt'), 'utf8')).toBe('hello');
  });

  test('is off again when one of its files has changed, and goes on when that is trusted', async () => {
    const one = await running();
    const { platform, setting } = one;
    setting.model.next('first answer');
    platform.say('one');
    await one.sees('first answer');
    const changed = (await readFile(join(one.folder, 'line/guest.ts'), 'utf8')).replace(
      '{ welcome:',
      '{ hello: 1, welcome:',
    );
    await one.write('line/guest.ts', changed);
    await setting.restart();
    await setting.channel.sees(changedNews);
    platform.say('two');
    expect(platform.isConfirmed()).toBe(false);
    expect(await one.status()).toMatch(new RegExp(`line: .*${words.needsTrust.split(':')[0]}`));
    setting.model.next('second answer');
    await one.trustAll();
    await one.sees('second answer');
  });

  test('is ended at once when an owner trusts it no more, and what was to be shown there waits', async () => {
    const one = await running();
    const { platform, setting } = one;
    const id = String(setting.rows('SELECT trusted_id FROM trusted')[0]?.trusted_id);
    const { script, release } = held('first answer');
    const before = setting.model.requests.length;
    setting.model.next(script);
    platform.say('one');
    await setting.model.asked(before + 1);
    one.log.clear();
    await setting.channel.say(`/distrust ${id}`);
    await one.log.says('a channel from elsewhere was ended');
    release();
    const waiting = "SELECT 1 FROM outbox WHERE state = 'queued' AND markdown LIKE '%first answer%'";
    await waitUntil(() => setting.rows(waiting).length > 0, { what: 'the answer to wait' });
    expect(platform.seen()).not.toContain('first answer');
    expect(await one.status()).toMatch(new RegExp(`line: .*${words.needsTrust.split(':')[0]}`));
    await setting.channel.say(`/trust ${id}`);
    const look = (): boolean => {
      // The first try may come before the program is connected again.
      setting.clock.advance(100);
      return platform.seen().includes('first answer');
    };
    await waitUntil(look, { what: 'the answer' });
    setting.model.next('second answer');
    platform.say('two');
    await one.sees('second answer');
  });

  test('is begun, left alone and ended by edits of the config, alone', async () => {
    const one = await running();
    const { platform, setting, folder } = one;
    await one.write('beside.mjs', channelFile('beside'));
    const line = { line: { path: join(folder, 'line') } };
    const edit = (channel_plugins: object, channels: object): Promise<object> =>
      setting.edit({ channel_plugins, channels, owners: ['test:ada', ...('line' in channels ? ['line:ada'] : [])] });
    const isFree = async (): Promise<boolean> => {
      const server = createServer();
      const isListening = once(server.listen(platform.settings.port, '127.0.0.1'), 'listening');
      return isListening.then(
        () => closeServer(server).then(() => true),
        () => false,
      );
    };
    const begun = (): number => one.log.lines.filter((each) => each.includes(`elsewhere runs {${runs}`)).length;
    one.log.clear();
    // Another one is added, and who may talk on this one is edited.
    await edit(
      { ...line, beside: { path: join(folder, 'beside.mjs') } },
      { line: { ...platform.settings, allow_from: ['bob'] }, beside: {} },
    );
    await one.trustAll();
    await one.log.says('a channel from elsewhere runs {"channel":"beside"}');
    setting.model.next('still here');
    platform.say('hello');
    await one.sees('still here');
    expect(await isFree()).toBe(false);
    expect(begun()).toBe(0);
    // Its program has said that it was sent: otherwise it would be told to wait until the channel is on again.
    await waitUntil(() => setting.rows(`SELECT 1 FROM outbox WHERE state = 'queued'`).length === 0);
    // Switched off.
    await edit(line, { line: { ...platform.settings, enabled: false } });
    expect(await isFree()).toBe(true);
    expect(await one.status()).not.toMatch(/line|beside/);
    // On again: nobody has to trust it again.
    await edit(line, { line: platform.settings });
    await waitUntil(() => begun() === 1);
    // Made again, with other settings.
    await edit(line, {
      line: { ...platform.settings, people: { ...platform.settings.people, bob: 'a-secret-of-bob-alone' } },
    });
    await waitUntil(() => begun() === 2);
    expect(one.log.lines.join()).not.toContain('EADDRINUSE');
    // Taken out.
    await edit({}, {});
    expect(await isFree()).toBe(true);
    expect(await one.status()).not.toContain('- line:');
  });

  test('costs nothing else when it throws, whatever and wherever: health shows it, and owners read why', async () => {
    const one = await pluggedSetting(
      {
        'a.mjs': 'throw new Error("not today");',
        'b.mjs': 'export const nothing = 1;',
        'c.mjs': channelFile('bad'),
        'd.mjs': channelFile('d', 'adapter', 'port: z.number().optional()'),
        'e.mjs': channelFile('e', "{ ...adapter, start: () => { throw new Error('no start'); } }"),
        'f.mjs': channelFile('f', '{ ...adapter, capabilities: {} }'),
        'g.mjs': 'throw Object.create(null);',
        'nameless/package.json': '{ "exports": { ".": "./a.mjs" } }',
      },
      (folder) => ({
        ...Object.fromEntries(
          ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => [name, { path: join(folder, `${name}.mjs`) }]),
        ),
        nameless: { path: join(folder, 'nameless') },
        gone: { path: join(folder, 'gone.ts') },
        missing: { package: 'keyturn-nowhere', from: folder },
        line: { path: join(folder, 'line') },
      }),
      { d: { port: 'x' } },
    );
    await one.setting.channel.ask('hi', trustWords.en.newsOfSeveral);
    await one.trustAll();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
      await one.setting.channel.sees(`The channel \`${name}\` does not run`);
    one.setting.model.next('still here');
    one.platform.say('hello');
    await one.sees('still here');
    const status = await one.status();
    expect(status).toMatch(/channel a: it threw not today/);
    expect(status).toMatch(/channel b: it exports no channel/);
    expect(status).toMatch(/channel c: it exports the channel "bad"/);
    expect(status).toMatch(
      new RegExp(
        `channel d: it ${words.badSettings({ problems: [''] })}channels\\\\?\\.d\\\\?\\.port: expected a number`,
      ),
    );
    expect(status).toMatch(/channel e: it threw no start/);
    expect(status).toContain(`channel f: it ${words.badCapabilities}`);
    expect(status).toMatch(/channel g: it threw \\?\[Object: null prototype/);
    expect(status).toMatch(new RegExp(`channel nameless: it ${words.unnamed({ path: '.*' })}`));
    expect(status).toMatch(/channel gone: it does not exist/);
    expect(status).toContain(`channel missing: it ${words.notInstalled({ name: '|', path: '' }).split(':')[0]}`);
    expect(status).toContain('line: connected');
  });

  test('is tried again, ever more seldom, while it cannot be started, and owners are told once', async () => {
    const down = await newFile('');
    const start = `async () => { if (existsSync(${JSON.stringify(down)})) throw new Error('no way there'); }`;
    const one = await pluggedSetting(
      { 'far.mjs': channelFile('far', `{ ...adapter, start: ${start} }`) },
      (folder) => ({ far: { path: join(folder, 'far.mjs') } }),
    );
    await one.setting.channel.ask('hi', 'The channel plugin `far`');
    await one.trustAll();
    await one.setting.channel.sees(
      words.doesNotRun({ name: '`far`', fault: '|', isRetried: true }).split('|')[1] ?? '',
    );
    for (const pause of [5_000, 60_000, 300_000, 900_000]) {
      one.log.clear();
      one.setting.clock.advance(pause);
      await one.log.says('it threw this');
    }
    await rm(down);
    one.setting.clock.advance(900_000);
    await one.log.says('a channel from elsewhere runs');
    expect(one.setting.channel.screen.filter(({ text }) => text.includes('`far` does not run'))).toHaveLength(1);
    expect(await one.status()).not.toContain('no way there');
  });

  test('is begun once when trust is withdrawn and given again while it is loaded', async () => {
    const busy = await newFile('');
    const wait = `while (existsSync(${JSON.stringify(busy)})) await new Promise((go) => setTimeout(go, 5));`;
    const one = await pluggedSetting({ 'slow.mjs': `${channelFile('slow')}\n${wait}` }, (folder) => ({
      slow: { path: join(folder, 'slow.mjs') },
    }));
    const { channel } = one.setting;
    await channel.ask('hi', 'The channel plugin `slow`');
    await one.trustAll();
    await channel.sees('Trusted: the channel plugin `slow`');
    await channel.say(`/distrust ${one.setting.rows('SELECT trusted_id FROM trusted')[0]?.trusted_id}`);
    await one.trustAll();
    await waitUntil(() => channel.screen.filter(({ text }) => text.includes('Trusted: the channel')).length === 2);
    await rm(busy);
    await one.log.says('a channel from elsewhere runs');
    await channel.sayAtRest('/status');
    expect(one.log.lines.filter((line) => line.includes('a channel from elsewhere runs'))).toHaveLength(1);
  });

  test('says nothing in the name of another channel', async () => {
    const liar = `{
      ...adapter,
      localOwner: { id: 'mallory', name: 'Mallory', isPerson: true },
      async start(host) {
        const say = (channel, id) => host.receive({ type: 'message', key: channel, conversation: { channel, chatId: 'ada', kind: 'direct' }, sender: { id, name: 'x', isPerson: true }, text: 'run it', addressed: true, sentAt: 1 });
        const outcome = await say('test', 'ada').then(() => 'taken', (error) => error.message);
        await say('liar', 'mallory');
        host.reportHealth({ status: 'failing', reason: 'It answered: ' + outcome });
      },
    }`;
    const one = await pluggedSetting({ 'liar.mjs': channelFile('liar', liar) }, (folder) => ({
      liar: { path: join(folder, 'liar.mjs') },
    }));
    await one.setting.channel.ask('hi', 'The channel plugin');
    const asked = one.setting.model.requests.length;
    await one.trustAll();
    await one.log.says('It answered');
    const status = await one.status();
    expect(status).toContain(
      'It answered: A conversation of the channel liar has to have the channel "liar", and not "test".',
    );
    // Who says of themselves that they are the owner is a stranger.
    expect(one.setting.model.requests).toHaveLength(asked);
  });

  test('is not loaded from a workspace or the data folder, whatever links lead there', async () => {
    const one = await pluggedSetting();
    const { setting, folder } = one;
    await setting.write('line/index.ts', 'export default 1;');
    await writeFile(join(setting.folder, 'data/index.mjs'), 'export default 1;');
    await symlink(join(setting.workspace, 'line/index.ts'), join(folder, 'link.ts'));
    const paths = {
      line: join(setting.workspace, 'line'),
      link: join(folder, 'link.ts'),
      data: join(setting.folder, 'data'),
    };
    await waitUntil(() => one.asked().length === 1);
    one.log.clear();
    await setting.restart({
      channel_plugins: Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, { path }])),
    });
    for (const name of Object.keys(paths)) await one.log.says(`{"channel":"${name}"}`);
    const status = await one.status();
    for (const name of Object.keys(paths))
      expect(status).toMatch(new RegExp(`channel ${name}: it stands on .* in a workspace`));
    expect(one.asked()).toHaveLength(1);
  });

  const conditional = { '.': { types: './lib/main.d.ts', import: './lib/main.js' } };

  test.each<[string, object, (folder: string) => object]>([
    ['an npm package', { exports: conditional }, (from) => ({ package: 'keyturn-line', from })],
    [
      'a folder that is a package',
      { exports: conditional },
      (from) => ({ path: join(from, 'node_modules/keyturn-line') }),
    ],
    [
      'a folder with a main file',
      { main: 'lib/main.js' },
      (from) => ({ path: join(from, 'node_modules/keyturn-line') }),
    ],
  ])('may be %s, of which the entry is what its package.json says', async (_what, entry, place) => {
    const one = await pluggedSetting(
      {
        'node_modules/keyturn-line/package.json': JSON.stringify({ name: 'keyturn-line', type: 'module', ...entry }),
        'node_modules/keyturn-line/lib/main.js': `export { default } from '../../../line/index.ts';`,
      },
      (folder) => ({ line: place(folder) }),
    );
    const { text } = await one.setting.channel.ask('hi', 'The channel plugin `line`');
    expect(text).toContain('`main.js`');
    await one.trustAll();
    one.setting.model.next('from a package');
    one.platform.say('hello');
    await one.sees('from a package');
  });
});
