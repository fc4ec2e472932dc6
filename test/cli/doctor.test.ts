import { expect, test } from 'vitest';
import { doctorText, examineInstallation } from '../../src/cli/doctor.ts';

const shell = { path: '/usr/bin/bash', name: 'bash 5.2', isBash: true };
const now = Date.parse('2026-11-29T00:00:00Z');

test('the versions of all parts are listed with their age, and nothing is wrong with a Node that has all known fixes', () => {
  const report = examineInstallation({ now, versions: { ...process.versions, node: '24.22.1' }, shell });
  expect(report.faults).toEqual([]);
  expect(report.parts.find(({ name }) => name === 'Node')).toMatchObject({
    version: '24.22.1',
    age: 'has the fixes of 21 October 2026',
  });
  const sqlite = report.parts.find(({ name }) => name === 'SQLite');
  expect(sqlite?.version).toMatch(/^3\.\d+\.\d+$/);
  expect(sqlite?.age).toMatch(/^\d+ days old \(20\d\d-\d\d-\d\d\)$/);
  expect(doctorText(report, false)).toMatch(/^Shell {7}bash 5\.2 +reads commands$/m);
  expect(doctorText(report, false)).toMatch(/^Keyturn .*\nNode {8}24\.22\.1 .*\n[\s\S]*\nNothing is wrong\.\n$/);
});

test('a Node without the known fixes is a fault that says what to do', () => {
  const report = examineInstallation({ now, versions: { ...process.versions, node: '24.0.0' }, shell });
  expect(report.faults).toEqual([
    expect.stringMatching(/^Node 24\.0\.0 has known security holes: .* Update it: .*\.$/),
  ]);
  expect(doctorText(report, false)).toContain(`\n\n${report.faults[0]}\n`);
  expect(JSON.parse(doctorText(report, true))).toEqual(JSON.parse(JSON.stringify(report)));
});
