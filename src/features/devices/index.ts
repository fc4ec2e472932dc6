import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../../config/schema.ts';
import { deviceChannel } from '../../conversation/devices/device.ts';
import type { ChannelPort, Feature, FeatureCore } from '../../feature-points.ts';
import { deviceCommands } from './device-commands.ts';

/** Paired phones, browsers and scripts: their gateway, their chats and the tools they offer. */
export async function devices(core: FeatureCore): Promise<Feature> {
  const open = async () =>
    core.config.gateway.enabled ? (await import('./gateway/open-gateway.ts')).openGateway(core) : undefined;
  let gateway = await open();
  let port: ChannelPort | undefined;
  return {
    commands: [deviceCommands(core, () => gateway?.access)],
    channels: gateway === undefined ? [] : [gateway.channel],
    address: () => gateway?.address(),
    async start(channels) {
      port = channels;
    },
    // Devices reconnect by themselves.
    async reload({ from, to }) {
      if (isDeepStrictEqual(partsOf(from), partsOf(to))) return;
      if (gateway !== undefined) await port?.detach(gateway.channel[0]);
      gateway?.close();
      gateway = await open();
      if (gateway === undefined) core.health.forget(deviceChannel);
      else await port?.attach(...gateway.channel);
    },
  };
}

/** The settings that need a new gateway. All others are read when used. */
function partsOf({ gateway, remote_tools }: Config) {
  const { enabled, host, port, allowed_hosts, allowed_origins, max_frame_bytes, hello_secs } = gateway;
  return enabled && { host, port, allowed_hosts, allowed_origins, max_frame_bytes, hello_secs, remote_tools };
}
