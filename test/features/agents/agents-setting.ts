import { deploySetting } from '../../engine/deploy-setting.ts';
import type { DaemonSettingOptions } from '../../support/daemon-setting.ts';
import { call, type ScriptedRequest } from '../../support/scripted-model.ts';

export const agents = {
  scout: { description: 'looks things up', prompt: 'You are the scout.' },
  helper: { description: 'helps', prompt: 'You are the helper.' },
  builder: { description: 'builds', tools: ['deploy'] },
};

/** A daemon with these agents, if the config does not name others, and with the tool `deploy`, which asks. */
export function agentsSetting(config: DaemonSettingOptions['config'] = {}, options: DaemonSettingOptions = {}) {
  return deploySetting({ config: { agents, ...config }, ...options });
}

export function delegated(agent: string, task: string, more: Record<string, boolean> = {}) {
  return call('delegate', { agent, task, ...more });
}

export const isWorker = ({ system }: ScriptedRequest): boolean => system.includes('You work for an assistant');
export const isScout = ({ system }: ScriptedRequest): boolean => system.includes('You are the scout.');
export const isHelper = ({ system }: ScriptedRequest): boolean => system.includes('You are the helper.');
