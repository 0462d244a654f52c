// The laws of imports (CONTRIBUTING.md, "Architecture"): they run downhill and never in a circle.
// `npm run lint` checks them.

/** Everything but these paths. */
const not = (...paths) => ({ pathNot: paths.map((path) => `^${path}`) })
/** Only these may import a package, or its types. */
const onlyIn = (name, ...places) => ({
  name: `only-some-import-${name}`,
  comment: `Only ${places.join(', ')}`,
  severity: 'error',
  from: { path: '^src/', ...not(...places) },
  to: { path: `(^|/)node_modules/(@types/)?${name}/` },
})

/** From the ground up: none imports from one that stands after it. */
const floors = [
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
  '(client|calibration)/',
  '(server|app)\\.ts$',
  'runs/',
  '(index\\.ts$|cli\\b)',
]

/** Interfaces that a floor below fulfils: types alone, but for the helpers of findings. */
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
      name: 'no-circle',
      comment: 'A circle of types is a circle: none of its files can be read alone.',
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
      name: 'world-imports-what-it-is-made-of',
      comment:
        'The world is pure. Its records and settings are described in service/. The type of a fault follows from its effects.',
      severity: 'error',
      from: { path: '^src/world/' },
      to: not(
        'src/world/',
        'src/service/(records|settings)\\.ts$',
        'src/lib/',
        'src/faults/effects/effects\\.ts$',
        'node_modules/sorted-btree/',
        'net$',
      ),
    },
    {
      name: 'service-imports-world-lib-and-types',
      comment: 'The rules of the API are pure. `net` is there for isIPv4.',
      severity: 'error',
      from: { path: '^src/service/' },
      to: {
        path: '^src/',
        ...not('src/world/', 'src/service/', 'src/lib/', 'src/findings/FindingRule\\.ts$'),
        dependencyTypesNot: ['type-only', 'type-import'],
      },
    },
    {
      name: 'the-rules-of-the-api-come-through-one-object',
      comment:
        'Outside service/, types may come from it; values come through the object of service/service.ts. What a world is made of is below both.',
      severity: 'error',
      from: not('src/(service|world|calibration)/', 'ui/'),
      to: {
        path: '^src/service/',
        ...not('src/service/service\\.ts$'),
        dependencyTypesNot: ['type-only', 'type-import'],
      },
    },
    {
      name: 'calibration-has-a-folder-of-its-own-in-service',
      comment: 'Nothing else needs what an exchange says of the records, so servers don’t load it.',
      severity: 'error',
      from: { path: '^src/calibration/' },
      to: {
        path: '^src/service/',
        ...not('src/service/(service\\.ts$|calibration/)'),
        dependencyTypesNot: ['type-only', 'type-import'],
      },
    },
    {
      name: 'only-doors-import-doors',
      comment:
        'The doors are index.ts, cli.ts and the commands of cli/. One assembly: only they start server.ts, and the runs of a command.',
      severity: 'error',
      from: not('src/index\\.ts$', 'src/cli\\.ts$', 'src/cli/', 'src/runs/runAgainstSimulator\\.ts$'),
      to: { path: '^src/((index|cli|server)\\.ts$|cli/)' },
    },
    {
      name: 'the-client-goes-over-http',
      comment:
        'One handle in process and over HTTP: of the server it knows types alone, the errors, and what a token is.',
      severity: 'error',
      from: { path: '^src/client/' },
      to: {
        path: '^src/',
        ...not('src/client/', 'src/lib/(UserError|http)\\.ts$'),
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'the-dashboard-knows-types-patches-and-faults-alone',
      severity: 'error',
      from: { path: '^ui/' },
      to: {
        path: '^src/',
        ...not('src/world/mergePatch\\.ts$', 'src/faults/', 'src/lib/(duration|Issue)\\.ts$'),
        dependencyTypesNot: ['type-only'],
      },
    },
    ...floors.slice(0, -1).map((floor, i) => ({
      name: `${floor.replaceAll(/\W+/g, '-')}imports-downhill`,
      severity: 'error',
      from: { path: `^src/${floor}` },
      to: { path: `^src/(${floors.slice(i + 1).join('|')})`, ...not(...interfaces) },
    })),
    onlyIn('express-openapi-validator', 'src/contract/validator/'),
    onlyIn('ioredis', 'src/store/redis/'),
    onlyIn('lowdb', 'src/store/file/'),
    onlyIn('yaml', 'ui/docs/', 'src/lib/yaml\\.ts$', 'src/scenario/parseYaml\\.ts$'),
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
