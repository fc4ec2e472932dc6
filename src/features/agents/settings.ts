import { z } from 'zod';
import { shared, switchedTool, toolSwitch } from '../../config/setting-kinds.ts';
import { settingsPart } from '../../config/settings-part.ts';

/** The switches of the tools that hand work over. The agents are the core's: a chat may have one for itself. */
export const agentSettings = settingsPart({
  keys: () =>
    z.object({
      tools: shared({
        delegate: shared({ enabled: toolSwitch }).describe('Gives work to one of the agents.'),
        new_task: switchedTool('The same as delegate, for prompts written for new_task: agentName, taskName, input.'),
      }),
    }),
});
