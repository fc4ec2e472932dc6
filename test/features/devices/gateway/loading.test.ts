import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { DaemonProcess } from '../../../support/daemon-process.ts';
import { type CommandRun, runCommandOf } from '../../../support/run-command.ts';
import { waitUntil } from '../../../support/wait-for.ts';

/** Has the process tell what it looks for of what answers requests, as soon as it does. */
const librarian = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const isMeant = (name) => /^(hono|ws|@hono[/]node-server)$|[/](answering|routes|page-server)[.]ts$/.test(name);
  const seen = (name) => isMeant(name) && console.error('looks for ' + name + '.');
  registerHooks({ resolve(specifier, context, next) { seen(specifier); return next(specifier, context); } });`)}`;

test.each([{ enabled: false }, { enabled: true }])(
  'the port is open, and what answers there is loaded by the first request; the gateway is on: $enabled',
  async (gateway) => {
    await using daemon = DaemonProcess.start({
      entry: resolve(import.meta.dirname, '../../../../src/start.js'),
      config: { model: 'offline', gateway: { ...gateway, port: 0 }, channels: { terminal: { enabled: true } } },
      env: { NODE_OPTIONS: `--import ${librarian}` },
      stdin: 'pipe',
    });
    await daemon.waitForOutput('Model ');
    // Its local socket opens a moment later.
    const origin = await waitUntil(async () => originIn(await runCommandOf(daemon, ['web'])), { what: 'a link' });
    expect(daemon.output).not.toContain('looks for');
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    await daemon.waitForOutput('looks for ./answering.ts.');
    for (const name of ['hono', 'ws', '@hono/node-server']) expect(daemon.output).toContain(`looks for ${name}.`);
    expect(daemon.output).not.toContain('page-server');
  },
);

function originIn({ stdout }: CommandRun): string | undefined {
  return /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0];
}
