/**
 * A client for the conformance suite of the protocol: our connection to the URL that is its last argument, with a person who
 * keeps every default. Does what the scenario in `MCP_CONFORMANCE_SCENARIO` needs.
 */

import {
  connectTo,
  loadLibrary,
  type McpConnection,
  type McpOutcome,
  type McpPerson,
} from '../../../../src/features/mcp/connection.ts';
import { httpEndpoint } from '../../../../src/features/mcp/endpoints.ts';
import { fillForm } from '../../../../src/features/mcp/fill-form.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import { wholeSchema } from '../../../support/whole-schema.ts';

const timeout = 20_000;

const keepsDefaults: McpPerson = {
  place: 'conformance',
  language: 'en',
  ask: async ({ options }) => options.find((option) => option.includes('Keep')) ?? options[0],
};

/** What the tools of the scenarios want to be called with. */
const argumentsOf: Readonly<Record<string, Readonly<Record<string, number>>>> = { add_numbers: { a: 5, b: 3 } };

async function connect(url: URL): Promise<McpConnection> {
  const core = { config: wholeSchema().parse({}), library: await loadLibrary(), clock: systemClock, log: silentLog };
  const endpoint = await httpEndpoint(url, { headers: {}, allow_private: false }, core).open();
  const fill = (request: Parameters<typeof fillForm>[0], { ask }: McpPerson, signal: AbortSignal) =>
    fillForm(request, { server: 'conformance', ask, timeout, language: 'en' }, signal);
  const shared = { ...core, endpoint, greeting: 'auto' } as const;
  return connectTo({ ...shared, changed: () => {}, fill }, timeout, new AbortController().signal);
}

/** Timers of ours keep no process alive. */
const alive = setInterval(() => {}, 1_000);
const connection = await connect(new URL(process.argv.at(-1) ?? ''));
const outcomes: McpOutcome[] = [];
for (const { name, inputSchema } of await connection.tools(timeout)) {
  const args = argumentsOf[name] ?? {};
  const signal = new AbortController().signal;
  const parameters = JSON.parse(JSON.stringify(inputSchema));
  const call = {
    tool: name,
    fingerprint: '',
    parameters,
    args,
    timeout,
    signal,
    progress: () => {},
    person: keepsDefaults,
  };
  outcomes.push(await connection.call(call));
}
await connection.close();
clearInterval(alive);
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
if (outcomes.some(({ type }) => type !== 'answered')) process.exitCode = 1;
