extension StarterText {
  /// `.github/workflows/pins.yml`.
  static var githubWorkflow: String {
    #"""
    # The pin policy: looked at on every pull request, probed every day, built and signed from the main branch.
    #
    # Needs the repository's variables PINTLE_URL and PINTLE_SHA256 (see ci/pins), and, in the environment `release`, the
    # secret PINTLE_SIGNING_KEY. Protect that environment: anybody who may run the job may sign.
    name: pins

    on:
      pull_request:
      push:
        branches: [main]
      schedule:
        - cron: "23 5 * * *"

    permissions: {}

    concurrency:
      group: pins-${{ github.ref }}
      cancel-in-progress: ${{ github.event_name == 'pull_request' }}

    env:
      PINTLE_URL: ${{ vars.PINTLE_URL }}
      PINTLE_SHA256: ${{ vars.PINTLE_SHA256 }}

    jobs:
      check:
        name: Check the policy
        runs-on: ubuntu-latest
        timeout-minutes: 10
        permissions:
          contents: read
          actions: read # asked for by the upload in private repositories
          security-events: write
        steps:
          - uses: actions/checkout@v4
            with:
              persist-credentials: false
          - run: ci/pins install
          - run: ci/pins check
          - name: Compare with what clients have
            if: ${{ !cancelled() }}
            run: ci/pins diff
          # Pull requests from forks have no right to this; the annotations are there all the same.
          - uses: github/codeql-action/upload-sarif@v4
            if: ${{ !cancelled() && hashFiles('out/check.sarif') != '' && !github.event.pull_request.head.repo.fork }}
            with:
              sarif_file: out/check.sarif
              category: pins-check
          - uses: github/codeql-action/upload-sarif@v4
            if: ${{ !cancelled() && hashFiles('out/diff.sarif') != '' && !github.event.pull_request.head.repo.fork }}
            with:
              sarif_file: out/diff.sarif
              category: pins-diff

      servers:
        name: Ask the servers
        runs-on: ubuntu-latest
        timeout-minutes: 20
        permissions:
          contents: read
        steps:
          - uses: actions/checkout@v4
            with:
              persist-credentials: false
          - run: ci/pins install
          - run: ci/pins probe
          - uses: actions/upload-artifact@v4
            if: ${{ !cancelled() }}
            with:
              name: evidence
              path: out/evidence.json
              if-no-files-found: ignore

      release:
        name: Build and sign
        if: ${{ github.event_name == 'push' }}
        needs: check
        runs-on: ubuntu-latest
        timeout-minutes: 10
        environment: release
        permissions:
          contents: read
        steps:
          - uses: actions/checkout@v4
            with:
              persist-credentials: false
          - run: ci/pins install
          - run: ci/pins build
          - run: ci/pins sign
            env:
              PINTLE_SIGNING_KEY: ${{ secrets.PINTLE_SIGNING_KEY }}
          - run: ci/pins verify
          # Once clients are served it, commit it to released/ under the next number: it is the next baseline.
          - uses: actions/upload-artifact@v4
            with:
              name: manifest
              path: out/manifest.json
              if-no-files-found: error

    """#
  }
}
