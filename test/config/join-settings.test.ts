import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { configSchema } from '../../src/config/join-settings.ts';
import { block, pathIn, shared, switchedTool, text } from '../../src/config/setting-kinds.ts';
import { settingsPart } from '../../src/config/settings-part.ts';
import { Live } from '../../src/lib/live.ts';

const garden = settingsPart({
  keys: (context) =>
    z.object({
      garden: block({ beds: z.number().default(2), map: pathIn(context).prefault('./map') }),
      tools: shared({ schedule: shared({ water: text.default('daily') }), rake: switchedTool('Rakes.') }),
    }),
});

describe('a config made of parts', () => {
  const schema = configSchema({}, [garden], { absolute: (path) => `/home/${path}` });

  test('has the defaults of all, in blocks that several parts have keys of', () => {
    const config = schema.parse({ tools: { schedule: { time_zone: 'Asia/Shanghai' } } });
    expect(config.tools.schedule).toEqual({ time_zone: 'Asia/Shanghai', water: 'daily' });
    expect(garden.read(config)).toEqual({
      garden: { beds: 2, map: '/home/./map' },
      tools: { schedule: { water: 'daily' }, rake: { enabled: true } },
    });
  });

  test('gives a part the same values however often they are read', () => {
    const config = schema.parse({ garden: { map: 'elsewhere' } });
    expect(garden.read(config).garden.map).toBe('/home/elsewhere');
    const again = configSchema({}, [garden]).parse({ garden: garden.read(config).garden });
    expect(garden.read(again).garden.map).toBe('/home/elsewhere');
  });

  test('gives a part the values of now from a view of the config, whatever was read of it before', () => {
    const live = new Live(schema.parse({ garden: { beds: 1 } }));
    const view = live.view((now) => now);
    expect(garden.read(view).garden.beds).toBe(1);
    live.replace(schema.parse({ garden: { beds: 3 } }));
    expect(garden.read(view).garden.beds).toBe(3);
  });

  test('refuses what no part owns, at each level', () => {
    for (const wrong of [{ orchard: {} }, { garden: { trees: 1 } }, { tools: { schedule: { wind: 'x' } } }])
      expect(schema.safeParse(wrong).success).toBe(false);
    expect(configSchema({}, []).safeParse({ tools: { rake: {} } }).success).toBe(false);
  });

  test.each([
    ['agent', { agent: text.optional() }],
    ['tools.shell', { tools: shared({ shell: block({}) }) }],
    ['tools', { tools: block({}) }],
  ])('cannot be made if the key %s has two owners', (key, shape) => {
    expect(() => configSchema({}, [settingsPart({ keys: () => z.object(shape) })])).toThrow(
      `two parts own the key ${key}`,
    );
  });
});
