import { expect, test } from 'vitest';
import { processWords } from '../../../src/cli/doctor/process/words.ts';
import { doctorWords } from '../../../src/cli/doctor/words.ts';
import { marked } from '../../../src/config/differences.ts';
import { ownVersion } from '../../../src/lib/own-version.ts';
import { examine, problemsOf, type Row, type Setup, testRows } from './setups.ts';

const status = {
  version: ownVersion(),
  pid: 7,
  channels: [{ name: 'telegram', status: 'connected', since: 1, heardAt: 1 }],
  model: { name: 'main' },
  waiting: { approvals: 0, questions: 0, undelivered: 0, strangers: 0 },
  isUnclaimed: false,
};

/** A Keyturn that runs, and says this of itself. */
function daemon(own: object, more: Setup = {}): Setup {
  return { daemon: () => ({ status: { ...status, ...own } }), ...more };
}

/** One that holds a config that differs from the file's like this. */
function holding(change: (config: object) => object): Setup {
  return {
    daemon: (loaded) => ({
      status,
      config: { config: change(Object(marked(loaded?.config ?? {}))), isFollowed: true },
    }),
  };
}

/** Something that the config names and that is not there, by its key. */
function named(what: string, key: string, config: object): Row {
  return [
    what,
    { config },
    (language) => ({
      check: 'programs',
      what: processWords[language].named.what({ key, fault: '' }).trimEnd(),
      mend: processWords[language].named.mend({ key, fault: '' }),
    }),
  ];
}

const rows: readonly Row[] = [
  [
    'another version that runs',
    daemon({ version: '0.0.9' }),
    (language) => ({
      check: 'process',
      what: doctorWords[language].otherVersion.what({ running: '0.0.9', own: ownVersion() }),
    }),
  ],
  ...(['failing', 'dead'] as const).map(
    (state): Row => [
      `a channel that is ${state}`,
      daemon({ channels: [{ name: 'slack', status: state, since: 1, heardAt: 1, reason: 'no socket' }] }),
      (language) => ({
        check: 'process',
        what: doctorWords[language].channelFails.what({ platform: 'slack', why: 'no socket' }),
      }),
    ],
  ),
  [
    'a model that does not answer the one that runs',
    daemon({ model: { name: 'main', fault: { since: 1, text: 'it hangs' } } }),
    (language) => ({
      check: 'process',
      what: processWords[language].modelSilent.what({ name: 'main', why: 'it hangs' }),
    }),
  ],
  [
    'many messages that wait',
    daemon({ waiting: { ...status.waiting, undelivered: 25 } }),
    (language) => ({ check: 'process', what: processWords[language].undelivered.what({ count: 25 }) }),
  ],
  [
    'one that nobody owns',
    daemon({ isUnclaimed: true }),
    (language) => ({ check: 'process', what: processWords[language].unclaimed.what() }),
  ],
  [
    'a faulty edit',
    { ...holding((config) => config), config: '{ "agent": { "max_turnz": 3 } }' },
    (language) => ({ check: 'process', what: processWords[language].olderConfig.what() }),
  ],
  [
    'an edit not taken over',
    holding((config) => ({ ...config, agent: {} })),
    (language) => ({
      check: 'process',
      what: processWords[language].otherConfig.what({ keys: ['agent'] }).replace(/[\s.。]+$/, ''),
    }),
  ],
  [
    'a key that needs a restart',
    holding((config) => ({ ...config, data_dir: './other' })),
    (language) => ({ check: 'process', what: processWords[language].needsRestart.what({ keys: ['data_dir'] }) }),
  ],
  named('the program of an MCP server that is not there', 'mcp_servers.m.command', {
    mcp_servers: { m: { command: 'no-such-program-here' } },
  }),
  named('a missing file of a tool module', 'tool_modules[0]', { tool_modules: ['./nope.ts'] }),
  named('the folder of a plugin that is not there', 'plugins.plugin_dirs[0]', {
    plugins: { enabled: true, plugin_dirs: ['./nope'] },
  }),
  named('the program of a custom tool that is not there', 'custom_tools[0].command', {
    custom_tools: [{ name: 'deploy', description: 'Deploys.', command: 'no-such-program-here now' }],
  }),
  named('a port that another program has', 'gateway.port', { gateway: { enabled: true, port: 'PORT' } }),
];

testRows(rows);

test('a Keyturn that runs with the config as it is, is in order; so is one of an older version that does not say', async () => {
  for (const setup of [holding((config) => config), daemon({})]) {
    const { reports } = await examine(setup, 'en');
    expect(problemsOf(reports, 'process')).toEqual([]);
    expect(problemsOf(reports, 'programs')).toEqual([]);
  }
});
