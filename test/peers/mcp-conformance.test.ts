import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newFolder } from '../support/new-folder.ts';

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const client = fileURLToPath(new URL('../features/mcp/servers/conformance-client.ts', import.meta.url));

test.each(['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'])(
  'our client passes the scenario %s of the conformance suite',
  { timeout: 60_000 },
  async (scenario) => {
    const folder = await newFolder();
    const command = `${process.execPath} ${client}`;
    const args = [suite, 'client', '--command', command, '--scenario', scenario, '--output-dir', folder];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    expect(`${stdout}${stderr}`).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
    expect(stdout + stderr).toContain('OVERALL: PASSED');
  },
);
