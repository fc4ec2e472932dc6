import type { Feature, FeatureCore } from '../../feature-points.ts';
import { deviceCommands } from './device-commands.ts';

/** The phones, browsers and scripts that people have paired: the gateway that they come in by, their chats, and the tools that they offer. */
export async function devices(core: FeatureCore): Promise<Feature> {
  const isOn = core.config.gateway.enabled;
  const gateway = isOn ? await (await import('./gateway/open-gateway.ts')).openGateway(core) : undefined;
  return {
    commands: [deviceCommands(core, gateway?.access)],
    channels: gateway === undefined ? [] : [gateway.channel],
    address: () => gateway?.address(),
  };
}
