extension StarterText {
  /// `.github/workflows/pins.yml`.
  static var githubWorkflow: String {
    #"""
    # The pin policy: checked on every pull request, probed every day, built and signed from the main branch: after each
    # push, and by the schedule when the newest release must be renewed.
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
          actions: read # required by the upload in private repositories
          security-events: write
        outputs:
          due: ${{ steps.due.outputs.due }}
        steps:
          - uses: actions/checkout@v4
            with:
              persist-credentials: false
          - run: ci/pins install
          - run: ci/pins check
          - name: Must the newest release be renewed?
            id: due
            run: if ci/pins due; then echo due=true >>"$GITHUB_OUTPUT"; fi
          # Pull requests from forks have no right to this; the annotations are there all the same.
          - uses: github/codeql-action/upload-sarif@v4
            if: ${{ !cancelled() && hashFiles('out/check.sarif') != '' && !github.event.pull_request.head.repo.fork }}
            with:
              sarif_file: out/check.sarif
              category: pins-check

      servers:
        name: Probe the servers
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

      compare:
        name: Compare with what clients have
        needs: servers
        # Also if a server doesn't satisfy the policy: the record shows which change is safe.
        if: ${{ !cancelled() }}
        runs-on: ubuntu-latest
        timeout-minutes: 10
        permissions:
          contents: read
          actions: read # required by the upload in private repositories
          security-events: write
        steps:
          - uses: actions/checkout@v4
            with:
              persist-credentials: false
          - run: ci/pins install
          - uses: actions/download-artifact@v4
            continue-on-error: true
            with:
              name: evidence
              path: out
          - run: ci/pins diff
          - uses: github/codeql-action/upload-sarif@v4
            if: ${{ !cancelled() && hashFiles('out/diff.sarif') != '' && !github.event.pull_request.head.repo.fork }}
            with:
              sarif_file: out/diff.sarif
              category: pins-diff

      release:
        name: Build and sign
        needs: [check, compare]
        # A failed probe doesn't stop the release that repairs it.
        if: >-
          ${{ !cancelled() && needs.check.result == 'success' && needs.compare.result == 'success' &&
          (github.event_name == 'push' || (github.event_name == 'schedule' && needs.check.outputs.due == 'true')) }}
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
          # Once it is served to clients, commit it to released/, named by its serial, such as released/0007.json: it is the
          # next baseline.
          - uses: actions/upload-artifact@v4
            with:
              name: manifest
              path: out/manifest.json
              if-no-files-found: error

    """#
  }
}
