import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { wordsOf } from '../../support/scripted-model.ts';
import { answerOf, hmac, taken, webhookSetting } from './webhook-setting.ts';

const run = promisify(execFile);
const page = readFileSync(join(import.meta.dirname, '../../../docs/webhooks.md'), 'utf8');

/** The examples of the page, of this language. */
function examples(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
}

/** The webhooks of an example, for the channel of the test. */
function webhooksOf(example: string): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const { webhooks, ...others } = parse(`{${example}}`);
  const { gateway: _gateway, ...named } = others;
  const entries = Object.entries<Readonly<Record<string, unknown>>>(webhooks ?? named);
  return Object.fromEntries(
    entries.map(([name, settings]) => [name, { ...settings, chat: 'test:team', secret: 'the-secret-of-docs' }]),
  );
}

test('the first example, called as the page says, is answered as the page says', async () => {
  const [config = ''] = examples('jsonc');
  const [command = ''] = examples('sh');
  const { daemon, channel, model } = await webhookSetting(webhooksOf(config));
  const script = command.replace('http://127.0.0.1:42617', daemon.gatewayAddress);
  const { stdout } = await run('sh', ['-c', script], {
    env: { PATH: process.env.PATH, DEPLOY_SECRET: 'the-secret-of-docs' },
  });
  expect(stdout).toBe('{"status":"taken"}');
  const [, line = ''] = /^> (🔔 .*)$/m.exec(page) ?? [];
  await channel.sees(line, 'test:team');
  expect(channel.textsIn('test:team')).toContain(line);
  expect(wordsOf(await model.asked(2))).toContain('{log}:\n> disk full');
});

test('the example for GitHub takes a run that failed, and neither a ping nor a run that went well', async () => {
  const [, config = ''] = examples('jsonc');
  const { post, channel } = await webhookSetting(webhooksOf(config));
  const runs = {
    name: 'tests',
    head_branch: 'main',
    html_url: 'https://github.com/acme/shop/actions/runs/1',
    conclusion: 'failure',
  };
  const event = { action: 'completed', workflow_run: runs, repository: { full_name: 'acme/shop' } };
  const deliver = async (sent: object) => {
    const text = JSON.stringify(sent);
    const headers = {
      'Content-Type': 'application/json',
      'X-GitHub-Event': 'workflow_run',
      'X-GitHub-Delivery': crypto.randomUUID(),
      'X-Hub-Signature-256': `sha256=${hmac(text, 'the-secret-of-docs')}`,
    };
    return answerOf(await post('/hook/ci', text, headers));
  };
  const ignored = { status: 202, body: { status: 'ignored' } };
  expect(await deliver({ zen: 'Keep it logically awesome.', hook_id: 1 })).toMatchObject(ignored);
  expect(await deliver({ ...event, workflow_run: { ...runs, conclusion: 'success' } })).toMatchObject(ignored);
  expect(await deliver({ ...event, action: 'requested' })).toMatchObject(ignored);
  expect(await deliver(event)).toMatchObject(taken);
  await channel.sees('🔔 ci: `tests · acme/shop · main · https://github.com/acme/shop/actions/runs/1`', 'test:team');
});
