import { expect, test } from 'vitest';
import { group } from '../../support/daemon-setting.ts';
import { call, resultsOf, type ScriptedRequest } from '../../support/scripted-model.ts';
import { agentsSetting, delegated, isWorker } from './agents-setting.ts';

const inTeam = { in: group, at: 'test:team' };
const namesIn = ({ tools }: ScriptedRequest): readonly string[] => tools.map(({ name }) => name);

test('who works for a chat with instructions of its own reads them after its own', async () => {
  const { channel, model } = await agentsSetting({ chats: { 'test:team': { prompt: 'You are Captain Hook.' } } });
  model.next([delegated('scout', 'look')], 'it is 42', 'Arr.');
  await channel.ask('hello', 'Arr.', inTeam);
  expect((await model.asked(2)).system).toMatch(/You are the scout\.\nYou are Captain Hook\.$/);
});

test('the agent of a chat limits the tools and the mode of those who work for it', async () => {
  const agents = { reader: { tools: ['read_*', 'delegate', 'deploy'], mode: 'observer' }, all: {} };
  const { channel, model, deploy } = await agentsSetting({ agents, chats: { 'test:team': { agent: 'reader' } } });
  model.next([delegated('all', 'look')], [call('deploy', { what: 'site' })], 'no', 'No.');
  await channel.ask('deploy it', 'No.', inTeam);
  const [asked, worker, again] = [await model.asked(1), await model.asked(2), await model.asked(3)];
  expect(namesIn(asked)).toEqual(['delegate', 'deploy', 'read_document', 'read_file']);
  expect(isWorker(worker)).toBe(true);
  expect(namesIn(worker)).toEqual(['delegate', 'deploy', 'read_document', 'read_file']);
  expect(resultsOf(again)[0]).toContain('observer');
  expect(deploy.executed).toEqual([]);
});
