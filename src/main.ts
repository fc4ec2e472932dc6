import nodeModule from 'node:module';
import { runCommand } from './cli/run-command.ts';
import { once } from './lib/background.ts';

await runCommand({ process, channels: once(loadChannels) });

/** Loads zod first, which all that reads configs imports. */
async function loadChannels() {
  await loadZod();
  const { channelLoaders: loaders, channelSettings: settings } = await import('../channels/index.ts');
  return { loaders, settings };
}

/** zod brings its words in 60 languages, each in a file of its own, and loads them all: 30 ms. Here it has the English ones. */
async function loadZod(): Promise<void> {
  const hooks = nodeModule.registerHooks?.({
    resolve(specifier, context, next) {
      const isOfZod =
        specifier === '../locales/index.js' && /\/zod\/v4\/\w+\/[\w-]+\.js$/.test(context.parentURL ?? '');
      return next(isOfZod ? '../locales/en.js' : specifier, context);
    },
  });
  const { config } = await import('zod');
  hooks?.deregister();
  // Schemas parse the config once and small inputs later: compiling them costs more than it saves.
  config({ jitless: true });
}
