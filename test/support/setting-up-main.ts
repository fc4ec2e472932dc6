import { runCommand } from '../../src/cli/run-command.ts';

// The program, which looks for models and reaches the platforms where KEYTURN_SURROUNDINGS says, a JSON object.

const { channelLoaders: loaders, channelSettings: settings } = await import('../../channels/index.ts');
const surroundings = JSON.parse(process.env.KEYTURN_SURROUNDINGS ?? '{"servers":[],"channels":{}}');
await runCommand({ process, channels: async () => ({ loaders, settings }), surroundings });
