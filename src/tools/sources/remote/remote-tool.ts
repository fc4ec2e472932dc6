import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { ToolDefinition } from '../../../transcript.ts';
import { foreignTool } from '../../foreign-tool.ts';
import { error, type ToolOutput } from '../../output.ts';
import type { Tool, ToolContext } from '../../tool.ts';
import type { ToolRegistration } from '../../tool-registration.ts';
import { type KeepFilesDependencies, keepFiles } from '../keep-files.ts';
import type { DeviceAnswer } from './device-answer.ts';
import type { ToolRules } from './remote-settings.ts';
import type { ToolSpec } from './tool-spec.ts';
import type { DeviceOutcome, WantedCall } from './wanted-call.ts';

export interface RemoteToolDependencies extends KeepFilesDependencies {
  readonly call: (call: WantedCall) => Promise<DeviceOutcome>;
}

/** A tool that a device offers, and whose. */
export interface RemoteToolAuthoring {
  readonly spec: ToolSpec;
  readonly device: { readonly id: string; readonly name: string };
  readonly rules: ToolRules;
}

/** A tool of a device, as the model calls it by the name. Whatever it answers is untrusted. */
export function remoteTool(
  name: string,
  authoring: RemoteToolAuthoring,
  dependencies: RemoteToolDependencies,
): ToolRegistration {
  const { spec, device, rules } = authoring;
  const called = oneLine(device.name, 60);
  const description =
    spec.description === ''
      ? `The tool ${spec.name} of the device "${called}".`
      : `On the device "${called}": ${spec.description}`;
  const definition = { name, description, parameters: spec.parameters };
  const tool = toolOf(definition, { ...authoring, called }, dependencies);
  return { name, category: rules.category, definition, create: () => tool };
}

function toolOf(
  definition: ToolDefinition,
  { spec, device, rules, called }: RemoteToolAuthoring & { readonly called: string },
  dependencies: RemoteToolDependencies,
): Tool {
  const { fingerprint } = spec;
  const { category, timeout, isIdempotent } = rules;
  return foreignTool({
    ...definition,
    category,
    // The device, too: a name can be given to another one.
    fingerprint: `${device.id} ${fingerprint}`,
    describeCall: (args) => {
      const written = Object.keys(args).length === 0 ? '' : ` with ${inlineCode(oneLine(JSON.stringify(args), 300))}`;
      return `call ${inlineCode(spec.name)} on the device ${inlineCode(called)}${written}`;
    },
    ...(isIdempotent ? { facets: () => ({ repeatable: true }) } : {}),
    async execute(args, context) {
      const { callId, signal, progress } = context;
      const wanted = { device, tool: spec.name, fingerprint, args, callId, timeout, isIdempotent, signal, progress };
      const outcome = await dependencies.call(wanted);
      const output = await outputOf(outcome, context, { called, timeout, dependencies });
      return { ...output, untrusted: `device ${called}` };
    },
  });
}

interface Asked {
  readonly called: string;
  readonly timeout: number;
  readonly dependencies: RemoteToolDependencies;
}

async function outputOf(
  outcome: DeviceOutcome,
  context: ToolContext,
  { called, timeout, dependencies }: Asked,
): Promise<ToolOutput> {
  const device = `The device "${called}"`;
  const mayBeDone = 'It may have done a part of its work: look before you try again.';
  switch (outcome.type) {
    case 'answered':
      return answered(outcome.answer, context, dependencies);
    case 'invalid':
      return error(`${device} has answered what cannot be taken: ${outcome.why}. ${mayBeDone}`);
    case 'timed-out':
      return error(
        `${device} gave no sign of life for ${timeout / 1000} s, or took longer than any call may, and was told to stop. ${mayBeDone}`,
      );
    case 'stopped':
      return error(`${device} was told to stop. It may have done a part of its work.`);
    case 'lost':
      return error(`${device} was disconnected while it worked: the outcome is unknown. ${mayBeDone}`);
    case 'absent':
      return error(`${device} is not connected, and nothing was done. Tell the person, who may have to wake it.`);
    case 'changed':
      return error(
        `${device} has changed this tool since. ${outcome.wasAsked ? mayBeDone : 'Nothing was done: call it as it is described now.'}`,
      );
  }
}

async function answered(
  { succeeded, parts }: DeviceAnswer,
  context: ToolContext,
  dependencies: RemoteToolDependencies,
): Promise<ToolOutput> {
  const files = parts.filter((part) => typeof part !== 'string');
  const kept = files.length === 0 ? undefined : await keepFiles(files, context, dependencies);
  const text = parts.map((part) => (typeof part === 'string' ? part : (kept?.marker(part) ?? ''))).join('\n\n');
  const silent = succeeded ? 'It answered nothing.' : 'It failed, and does not say why.';
  return {
    forLlm: text === '' ? silent : text,
    isError: !succeeded,
    isAsync: false,
    ...kept?.shown,
  };
}
