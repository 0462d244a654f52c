// Import rules (CONTRIBUTING.md, "Architecture"): a layer imports only from lower layers, and there are no cycles.
// `npm run lint` checks them.

/** Matches all paths except these. */
const not = (...paths) => ({ pathNot: paths.map((path) => `^${path}`) })
/** Allows only these places to import a package or its types. */
const onlyIn = (name, ...places) => ({
  name: `only-some-import-${name}`,
  comment: `Only ${places.join(', ')}`,
  severity: 'error',
  from: { path: '^src/', ...not(...places) },
  to: { path: `(^|/)node_modules/(@types/)?${name}/` },
})

/** Layers from the bottom up. A layer imports nothing from the layers after it. */
const layers = [
  '(lib|report)/',
  'world/',
  'contract/',
  'faults/',
  'service/',
  'timeline/',
  'journal/',
  'findings/',
  'scenario/',
  'store/',
  '(http|admin|Simulation|SimulatorOptions|logging|reproduce)\\b',
  'client/',
  '(server|app)\\.ts$',
  'cli/(?!(program|run)\\.)',
  'lab/',
  '(index|cli|cli/program|cli/run)\\.ts$',
]

/** Interfaces that lower layers implement. They contain only types and the helpers of findings. */
const interfaces = [
  'src/service/(records|settings)\\.ts$',
  'src/faults/effects/effects\\.ts$',
  'src/findings/FindingRule\\.ts$',
  'src/scenario/schemaTypes\\.ts$',
]

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Type-only cycles count: none of their files can be read alone.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'world-imports-only-its-parts',
      comment:
        'The world is pure. Its records and settings are described in service/. The type of a fault follows from its effects.',
      severity: 'error',
      from: { path: '^src/world/' },
      to: not(
        'src/world/',
        'src/service/(records|settings)\\.ts$',
        'src/lib/',
        'src/faults/effects/effects\\.ts$',
        'net$',
      ),
    },
    {
      name: 'service-imports-world-lib-and-types',
      comment: 'The rules of the API are pure.',
      severity: 'error',
      from: { path: '^src/service/' },
      to: {
        path: '^src/',
        ...not('src/world/', 'src/service/', 'src/lib/', 'src/findings/FindingRule\\.ts$'),
        dependencyTypesNot: ['type-only', 'type-import'],
      },
    },
    {
      name: 'service-is-used-through-its-index',
      comment:
        'Other folders may import types from service/. They use only the values that service/index.ts exports.',
      severity: 'error',
      from: not('src/(service|world)/', 'src/lab/simulator\\.ts$', 'ui/'),
      to: {
        path: '^src/service/',
        ...not('src/service/index\\.ts$'),
        dependencyTypesNot: ['type-only', 'type-import'],
      },
    },
    {
      name: 'lab-uses-the-simulator-through-one-file',
      comment: 'What the lab uses of the simulator is listed in lab/simulator.ts. Types count.',
      severity: 'error',
      from: { path: '^src/lab/', ...not('src/lab/(simulator\\.ts$|commands/)') },
      to: { path: '^src/', ...not('src/(lab|contract|client|report|lib)/') },
    },
    {
      name: 'lab-commands-also-import-cli',
      severity: 'error',
      from: { path: '^src/lab/commands/' },
      to: { path: '^src/', ...not('src/(lab|contract|client|report|lib|cli)/') },
    },
    {
      name: 'only-entry-points-import-the-lab',
      comment: 'The simulator doesn’t need the lab. Types count.',
      severity: 'error',
      from: { path: '^src/', ...not('src/lab/', 'src/(cli|cli/program|index)\\.ts$') },
      to: { path: '^src/lab/' },
    },
    {
      name: 'runs-and-calibration-are-independent',
      comment: 'They know nothing of each other, nor of the commands.',
      severity: 'error',
      from: { path: '^src/lab/(runs|calibration)/' },
      to: { path: '^src/lab/(commands|runs|calibration)/', pathNot: '^src/lab/$1/' },
    },
    {
      name: 'only-entry-points-import-entry-points',
      comment:
        'The entry points are index.ts, cli.ts and the commands. Only they, and runs of a command, start server.ts.',
      severity: 'error',
      from: not('src/index\\.ts$', 'src/cli\\.ts$', 'src/cli/', 'src/lab/(simulator\\.ts$|commands/)'),
      to: { path: '^src/((index|cli|server)\\.ts$|cli/)' },
    },
    {
      name: 'client-uses-http',
      comment:
        'The handle works over HTTP, even in the server’s own process. It imports only types, errors, suggestions, and the check of tokens.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: {
        path: '^src/',
        ...not('src/client/', 'src/lib/(UserError|http|nearest|text)\\.ts$'),
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'dashboard-imports-only-types-and-pure-rules',
      severity: 'error',
      from: { path: '^ui/' },
      to: {
        path: '^src/',
        ...not(
          'src/world/mergePatch\\.ts$',
          'src/faults/',
          'src/service/(addresses|describeChange)\\.ts$',
          'src/lib/(duration|groups|Issue)\\.ts$',
          'src/lab/runs/(problems|verdict)\\.ts$',
        ),
        dependencyTypesNot: ['type-only'],
      },
    },
    ...layers.slice(0, -1).map((layer, i) => ({
      name: `${layer.replaceAll(/\W+/g, '-')}imports-only-lower-layers`,
      severity: 'error',
      from: { path: `^src/${layer}` },
      to: { path: `^src/(${layers.slice(i + 1).join('|')})`, ...not(...interfaces) },
    })),
    onlyIn('express-openapi-validator', 'src/contract/validator/'),
    onlyIn('ioredis', 'src/store/redis/'),
    onlyIn('lowdb', 'src/store/file/'),
    onlyIn('express', 'src/http/', 'src/admin/', 'src/app\\.ts$'),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
}
