import { expect, test } from 'vitest';
import { silentLog } from '../../../../src/lib/log.ts';
import { echo } from '../../../../src/tools/builtin/echo.ts';
import { registrationOf, ToolRegistry } from '../../../../src/tools/registry.ts';
import { contextIn, prepared, scopeIn } from '../../setting.ts';
import { customSetting } from './custom-setting.ts';

test('a builtin tool comes back, to be told of and to run, when the custom one in its place goes', async () => {
  const options = { name: 'echo', description: 'Echoes loudly.', command: 'echo {{message}}!' };
  const { tool, workspace } = await customSetting({ ...options, parameters: { message: 'string' } });
  const registry = new ToolRegistry({ log: silentLog });
  const scope = scopeIn(workspace);
  const seen = async () => {
    const [definition] = await registry.definitions(scope);
    const found = await registry.get('echo', scope);
    if (found === undefined) throw new Error('there is no echo');
    const { forLlm } = await (await prepared(found.tool, { message: 'hi' })).execute(contextIn(workspace));
    return { told: definition?.description.split(' ')[0], source: found.source.type, forLlm };
  };
  const builtin = { told: 'Gives', source: 'builtin', forLlm: 'hi' };
  registry.register(registrationOf(echo()), { type: 'builtin' });
  expect(await seen()).toEqual(builtin);
  registry.registerOrReplace(registrationOf(tool), { type: 'custom' });
  expect(await seen()).toEqual({ told: 'Echoes', source: 'custom', forLlm: '[exit code 0]\nhi!' });
  registry.unregister('echo', { type: 'custom' });
  expect(await seen()).toEqual(builtin);
});
